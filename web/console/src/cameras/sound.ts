import { effect, signal } from "@preact/signals";

/* The sound of a camera that falls silent: two notes of the browser, without a file. */

/** The choice is kept for the next visit. */
const KEY = "wall-sound";
/** The notes in hertz, the length of each in seconds, and their volume from 0 to 1. */
const NOTES = [880, 587];
const NOTE_S = 0.28;
const VOLUME = 0.2;

export const isSoundOn = signal(localStorage.getItem(KEY) === "on");
/** Whether the browser plays nothing until the person has touched the page. */
export const isSoundBlocked = signal(false);

let audio: AudioContext | null = null;

function prepare(): void {
  audio ??= new AudioContext();
  const { state } = audio;
  isSoundBlocked.value = state === "suspended";
  if (state !== "suspended") return;
  void audio.resume().then(() => {
    isSoundBlocked.value = false;
  });
}

/** A browser allows sounds after the first key or click on a page. */
function unblock(): void {
  if (isSoundOn.peek() && audio?.state === "suspended") prepare();
}

effect(() => {
  localStorage.setItem(KEY, isSoundOn.value ? "on" : "off");
  if (isSoundOn.value) prepare();
  else isSoundBlocked.value = false;
});
for (const touch of ["pointerdown", "keydown"]) addEventListener(touch, unblock);

/** Plays the two notes, if the person has switched the sound on. */
export function ring(): void {
  if (!isSoundOn.peek() || audio === null) return;
  for (const [n, hertz] of NOTES.entries()) {
    const start = audio.currentTime + n * NOTE_S;
    const loudness = new GainNode(audio, { gain: 0 });
    // The volume rises and falls, so that a note does not begin or end with a click.
    loudness.gain.setValueAtTime(0, start);
    loudness.gain.linearRampToValueAtTime(VOLUME, start + 0.02);
    loudness.gain.linearRampToValueAtTime(0, start + NOTE_S);
    const note = new OscillatorNode(audio, { frequency: hertz });
    note.connect(loudness).connect(audio.destination);
    note.start(start);
    note.stop(start + NOTE_S);
  }
}
