import { LinkEnded, ShareClient, Unreachable } from "./client.js";
import { part, showAge, showFacts } from "./facts.js";
import { Frame } from "./frame.js";
import { followPointer } from "./pointer.js";
import { Previews } from "./previews.js";
import { Ruler } from "./ruler.js";
import { Clock, DAY } from "./times.js";

/** How often the archive is looked at again, milliseconds. */
const REFRESH = 60_000;

const viewer = part("viewer");

/** The address is `#<token>`, and after a look around `#<token>/<camera>/<time>`: none of it reaches a server. */
const [token = "", startCamera, startTime] = location.hash.slice(1).split("/");
const client = new ShareClient(token);

/** `capture` is the one that is shown, `pending` the one that moves begin at: it is shown, or will be. */
const state = {
  cameras: [],
  camera: null,
  capture: null,
  pending: null,
  archive: null,
  viewersClock: false,
  previews: null,
};
const ruler = new Ruler(part("scale"));
const frame = new Frame(part("picture"), (id, thumbnail, signal) => client.image(id, thumbnail, signal));

function say(text) {
  part("notice").textContent = text ?? "";
  part("notice").hidden = text === null;
}

function end(title, text) {
  stop();
  viewer.hidden = true;
  part("connection").hidden = true;
  part("ended-title").textContent = title;
  part("ended-text").textContent = text;
  part("ended").hidden = false;
  state.camera = null;
}

const linkEnded = () => end("This link has ended.", "Ask the person who gave it to you for a new one.");

/** Runs a step; what goes wrong on the way is said, and tried again where that makes sense. */
async function attempt(step) {
  try {
    const result = await step();
    part("connection").hidden = true;
    return result;
  } catch (thrown) {
    if (thrown instanceof LinkEnded) return linkEnded();
    if (thrown?.name === "AbortError") return undefined;
    part("connection").textContent =
      thrown instanceof Unreachable
        ? "No connection to the service. Trying again…"
        : "Something went wrong. Trying again…";
    part("connection").hidden = false;
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    return state.camera === null && state.cameras.length > 0 ? undefined : attempt(step);
  }
}

/** A thing of the link was absent: it may have been taken out, or the link itself may have ended. */
async function somethingGone() {
  say("This picture is not available any more.");
  await attempt(() => client.cameras());
}

const clock = () => new Clock(state.viewersClock ? undefined : state.camera.timeZone);

function drawFacts() {
  ruler.setClock(clock());
  showFacts(state, clock());
}

/** Shows a tab for each camera; those that are there stay, so that one keeps the focus it has. */
function drawTabs() {
  const list = part("cameras");
  const wanted = state.cameras.map(({ id, name }) => JSON.stringify([id, name]));
  if (wanted.join() !== [...list.children].map((tab) => tab.dataset.camera).join())
    list.replaceChildren(
      ...state.cameras.map((camera, n) => {
        const tab = document.createElement("button");
        tab.type = "button";
        tab.role = "tab";
        tab.textContent = camera.name;
        tab.title = camera.name;
        tab.dataset.camera = wanted[n];
        tab.setAttribute("aria-controls", "frame");
        tab.addEventListener("click", () => openCamera(camera));
        return tab;
      }),
    );
  for (const [n, { id }] of state.cameras.entries()) {
    const [tab, isOpen] = [list.children[n], id === state.camera?.id];
    if (isOpen && tab.ariaSelected !== "true") tab.scrollIntoView({ block: "nearest" });
    tab.ariaSelected = String(isOpen);
  }
}

/** Writes what the link shows: its name and its cameras. */
function drawLink({ name, cameras }) {
  state.cameras = cameras;
  document.title = name;
  part("name").textContent = name;
  part("name").title = name;
  drawTabs();
}

function keepAddress() {
  const place = state.capture === null ? state.camera.id : `${state.camera.id}/${state.capture.capturedAtUtc}`;
  try {
    history.replaceState(null, "", `#${token}/${place}`);
  } catch {
    // Browsers refuse when it changes very often; it is written again when one rests.
  }
}

async function loadArchive(camera, keepZoom) {
  const timeline = await attempt(() => client.timeline(camera.id));
  if (timeline === undefined || state.camera !== camera) return false;
  if (timeline === null) {
    await somethingGone();
    return false;
  }
  const gaps = timeline.gaps.map((gap) => ({
    start: Date.parse(gap.startUtc),
    end: Date.parse(gap.endUtc),
    cause: gap.cause,
  }));
  state.archive = { ...timeline, gaps };
  if (timeline.first !== null) {
    const [first, last] = [Date.parse(timeline.first.capturedAtUtc), Date.parse(timeline.last.capturedAtUtc)];
    ruler.setArchive(first, last, gaps, keepZoom);
    part("ruler").setAttribute("aria-valuemin", String(first));
    part("ruler").setAttribute("aria-valuemax", String(last));
  }
  drawFacts();
  return true;
}

async function openCamera(camera, at = null) {
  stop();
  Object.assign(state, { camera, archive: null });
  state.previews = new Previews((times, signal) => attempt(() => client.previews(camera.id, times, signal)));
  ruler.clear();
  for (const id of ["time", "age", "quality"]) part(id).textContent = "";
  for (const id of ["older", "newer"]) part(id).disabled = true;
  drawTabs();
  say("Loading the archive…");
  if (!(await loadArchive(camera, false))) return;
  const { last } = state.archive;
  if (last === null) {
    say("No pictures yet.");
    keepAddress();
    return;
  }
  const capture = at === null ? last : await attempt(() => client.seek(camera.id, at));
  if (state.camera === camera) goTo(capture ?? last);
}

/** The load under way; null when what is pending is shown. */
let loading = null;

/** Moves towards a capture. In a run of steps what is being loaded is shown first; else it is dropped. */
function goTo(capture, isStep = false) {
  state.pending = capture;
  if (!isStep) {
    loading?.abort();
    loading = null;
  }
  if (state.capture === null) say("Loading the picture…");
  if (loading === null) showPending();
}

/** Shows what is pending, and what has become so meanwhile: as many pictures of a run as the network carries. */
async function showPending() {
  loading = new AbortController();
  const { signal } = loading;
  part("frame").ariaBusy = "true";
  while (state.capture !== state.pending) {
    const { pending } = state;
    const picture = await attempt(() => frame.load(pending, previewOf(pending), signal));
    if (signal.aborted) return;
    showCapture(pending, picture);
  }
  loading = null;
  part("frame").ariaBusy = "false";
  const { capture } = state;
  const isThere = part("picture").hidden
    ? false
    : await attempt(() => state.capture !== capture || frame.sharpen(capture));
  if (state.capture !== capture) return;
  keepAddress();
  if (isThere === false) await somethingGone();
}

function previewOf(capture) {
  const preview = state.previews.at(Date.parse(capture.capturedAtUtc), ruler);
  return preview?.captureId === capture.id ? `data:image/jpeg;base64,${preview.jpegBase64}` : null;
}

/** The picture, its time, its words, the ruler's mark and the address change in one step. */
function showCapture(capture, picture) {
  state.capture = capture;
  frame.put(picture, "");
  ruler.setAt(Date.parse(capture.capturedAtUtc));
  drawFacts();
  keepAddress();
  part("older").disabled = capture.id === state.archive.first?.id;
  part("newer").disabled = capture.id === state.archive.last?.id;
  if (picture !== null) say(null);
}

/** Forgets what is shown and what is under way. */
function stop() {
  changeCourse();
  loading?.abort();
  loading = null;
  part("frame").ariaBusy = "false";
  frame.put(null, "");
  state.previews?.stop();
  Object.assign(state, { capture: null, pending: null });
}

/** Moves wait for one another, so that each begins where the one before arrives; a new course drops those that wait. */
let moves = Promise.resolve();
let course = 0;
function changeCourse() {
  course += 1;
  moves = Promise.resolve();
}

function move(find, isStep) {
  const mine = course;
  moves = moves.then(async () => {
    if (mine !== course) return;
    const { camera } = state;
    const capture = await attempt(() => find(camera, state.pending));
    if (mine === course && capture != null && capture.id !== state.pending?.id) goTo(capture, isStep);
  });
}

const step = (direction) => move(({ id }, from) => client.seek(id, from.capturedAtUtc, direction, from.id), true);
const shiftDay = (days) =>
  move(({ id }, from) => client.seek(id, new Date(Date.parse(from.capturedAtUtc) + days * DAY).toISOString()), true);

/** Goes to a moment, wherever one is. */
function seek(ms) {
  changeCourse();
  move(({ id }) => client.seek(id, new Date(ms).toISOString()), false);
}

function goToEnd(capture) {
  if (capture === null || capture.id === state.pending.id) return;
  changeCourse();
  goTo(capture);
}

/** To the frame where the next gap begins, or the one before it ended. */
const toGap = (direction) =>
  move(({ id }, from) => {
    const at = Date.parse(from.capturedAtUtc);
    const { gaps } = state.archive;
    const next = direction > 0 ? gaps.find((gap) => gap.start > at) : gaps.findLast((gap) => gap.start < at);
    return next === undefined ? null : client.seek(id, new Date(next.start).toISOString());
  }, true);

const KEYS = {
  ArrowLeft: ({ shiftKey }) => (shiftKey ? shiftDay(-1) : step("older")),
  ArrowRight: ({ shiftKey }) => (shiftKey ? shiftDay(1) : step("newer")),
  "[": () => toGap(-1),
  "]": () => toGap(1),
  Home: () => goToEnd(state.archive.first),
  End: () => goToEnd(state.archive.last),
  "+": () => ruler.zoom(0.5, Date.parse(state.pending.capturedAtUtc)),
  "-": () => ruler.zoom(2, Date.parse(state.pending.capturedAtUtc)),
  "?": () => part("keys").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || part("keys").open || state.pending === null) return;
  const key = KEYS[event.key];
  if (key === undefined) return;
  event.preventDefault();
  key(event);
});
part("older").addEventListener("click", () => step("older"));
part("newer").addEventListener("click", () => step("newer"));
part("help").addEventListener("click", () => part("keys").showModal());
part("clock").addEventListener("click", () => {
  state.viewersClock = !state.viewersClock;
  drawFacts();
});

followPointer(ruler, {
  isOpen: () => state.archive?.first != null,
  previews: () => state.previews,
  clock,
  seek,
});
new ResizeObserver(() => ruler.draw()).observe(part("scale"));

/** Looks again at what the link shows: new frames appear, and an ended link closes the page. */
async function refresh() {
  const { camera } = state;
  if (camera === null || document.hidden) return;
  const shown = await attempt(() => client.cameras());
  if (shown === undefined || state.camera !== camera) return;
  drawLink(shown);
  const still = shown.cameras.find(({ id }) => id === camera.id);
  if (still === undefined) return shown.cameras.length > 0 ? openCamera(shown.cameras[0]) : linkEnded();
  Object.assign(camera, still);
  const wasLatest = state.pending !== null && state.pending.id === state.archive?.last?.id;
  const isLoaded = await loadArchive(camera, true);
  if (!isLoaded) return;
  const { last } = state.archive;
  if (last === null) return state.pending === null ? undefined : openCamera(camera);
  if (state.pending === null || (wasLatest && last.id !== state.pending.id)) goTo(last, true);
}

async function start() {
  if (!/^svcshare1\.[0-9a-f]{32}\.[0-9a-f]{64}$/.test(token))
    return end("This link is not complete.", "Open it again, exactly as it was given to you.");
  say("Opening the link…");
  const shown = await attempt(() => client.cameras());
  if (shown === undefined) return;
  drawLink(shown);
  if (shown.cameras.length === 0) return end("Nothing to see here now.", "The cameras of this link are gone.");
  viewer.hidden = false;
  const wanted = shown.cameras.find(({ id }) => id === startCamera);
  const at = wanted !== undefined && Number.isFinite(Date.parse(startTime)) ? startTime : null;
  await openCamera(wanted ?? shown.cameras[0], at);
  setInterval(refresh, REFRESH);
  setInterval(() => showAge(state), 15_000);
  document.addEventListener("visibilitychange", refresh);
}

addEventListener("hashchange", () => location.reload());
start();
