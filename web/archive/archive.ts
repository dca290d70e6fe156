import { batch, computed, effect, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { ARCHIVE } from "#texts/archive.ts";
import { AddressKeeper } from "./address.ts";
import { isWorthReading, timesAround } from "./ahead.ts";
import { Attempts } from "./attempts.ts";
import { Clock, DAY, HOUR, MINUTE } from "./clock.ts";
import { type Frames, lowerBound } from "./frames.ts";
import { Loader } from "./loader.ts";
import { type LoadedPicture, Pictures } from "./pictures.ts";
import type { ArchiveAddress, ArchiveCamera, ArchivePort, ShownCapture } from "./port.ts";
import { Previews } from "./previews.ts";
import { Scrubber, strideOf } from "./scrub.ts";
import { Stage } from "./stage.ts";
import { RulerView } from "./view.ts";
import { PictureZoom } from "./zoom.ts";

/** Pause at a frame after which its original is read. A person who moves on earlier sees only thumbnails. */
const REST_MS = 120;
const DEFAULT_SPAN = 3 * DAY;

interface ArchiveOptions {
  port: ArchivePort;
  camera: ArchiveCamera;
  address: ArchiveAddress;
  /** Keeps the address. `push` makes an entry of the history that Back returns from. */
  onAddress(address: ArchiveAddress, push: boolean): void;
}

interface Move {
  /** The finger is still moving: the address and the original are updated later. */
  draft?: boolean;
  /** The finger has stopped, and is still on the ruler. */
  held?: boolean;
  /** A step of a repeated key press: the picture that is already being read is shown first. */
  step?: boolean;
  /** Back returns to the previous picture. */
  push?: boolean;
}

/** An open archive. `go` changes picture, time, words and address together. */
export class Archive {
  readonly camera = signal<ArchiveCamera>({ name: "", timeZone: "UTC" });
  /** Null before the archive is read, and while it is empty. */
  readonly frames = signal<Frames | null>(null);
  /** The time of the shown frame, and of the frame that moves start from: it is shown already or will be. */
  readonly shown = signal<number | null>(null);
  readonly pending = signal<number | null>(null);
  /** The position of the finger on the ruler while it scrubs. */
  readonly finger = signal<number | null>(null);
  readonly details = signal<ShownCapture | null>(null);
  readonly captureId = signal<string | null>(null);
  readonly notice = signal<string | null>(ARCHIVE.loading);
  readonly busy = signal(false);
  readonly attempts = new Attempts();
  /** The time that is compared with the shown one; null without a comparison. */
  readonly before: Signal<number | null>;
  readonly ownClock: Signal<boolean>;
  /** The time of day of the day strip, minutes after midnight; null for the picture's time of day. */
  readonly daily: Signal<number | null>;
  readonly zoom: PictureZoom;
  readonly clock = computed(() => new Clock(this.ownClock.value ? undefined : this.camera.value.timeZone));
  /** Changes when the ruler shows another part. */
  readonly viewVersion = signal(0);
  readonly view = new RulerView();
  readonly stage = new Stage();
  readonly scrubber = new Scrubber(this);
  readonly previews: Previews;
  readonly pictures: Pictures;
  readonly #loader: Loader;
  readonly #stop = new AbortController();
  readonly #disposers: (() => void)[] = [];
  #loading: AbortController | null = null;
  /** The frame that is being read. */
  #wanted: number | null = null;
  #sharpening = new AbortController();
  /** The frame whose better pictures are read, or were. */
  #settled: number | null = null;
  readonly #address: AddressKeeper;
  #draft = false;
  /** The current movement. In a drag, nobody waits at one frame: previews are read in batches. */
  #pace: "drag" | "step" | "stop" = "stop";
  #push = false;
  #direction = 1;

  constructor(private readonly options: ArchiveOptions) {
    this.camera.value = options.camera;
    const { before, ownClock, daily, zoom } = options.address;
    this.before = signal(before);
    this.ownClock = signal(ownClock);
    this.daily = signal(daily);
    this.zoom = new PictureZoom(zoom);
    this.previews = new Previews(options.port);
    this.pictures = new Pictures(options.port, this.previews);
    this.#loader = new Loader(options.port);
    this.#address = new AddressKeeper(options.onAddress);
    this.#disposers.push(
      effect(() => this.stage.describe(this.describe())),
      ...[this.before, this.ownClock, this.daily, this.zoom.place].map((part: ReadonlySignal<unknown>) =>
        part.subscribe(() => this.#keepState()),
      ),
    );
  }

  get port(): ArchivePort {
    return this.options.port;
  }

  dispose(): void {
    this.#stop.abort();
    this.#loading?.abort();
    this.#sharpening.abort();
    this.scrubber.stop();
    this.previews.stop();
    this.#address.stop();
    for (const dispose of this.#disposers) dispose();
    this.stage.put(null, "");
  }

  /** The description of the shown picture, in words. */
  describe(): string {
    const shown = this.shown.value;
    return shown === null ? "" : ARCHIVE.pictureOf(this.clock.value.full(shown), this.camera.value.name);
  }

  /** Reads the archive and shows the frame of the address, or the latest one. */
  async open(): Promise<void> {
    const { t, span } = this.options.address;
    const frames = await this.attempt(() => this.#loader.load(t));
    if (frames === undefined) return;
    this.#take(frames);
    if (frames === null) return;
    const at = frames.at(t === null ? frames.count - 1 : frames.nearest(t));
    this.view.setSpan(span ?? Math.min(DEFAULT_SPAN, this.view.maxSpan), at);
    this.go(at);
    await this.#loadOlder();
  }

  /** Reads the causes of gaps that the first response left out, in a part; at first, in the visible part. */
  async explainGaps(from = this.view.from, to = this.view.to): Promise<void> {
    const frames = await this.attempt(() => this.#loader.explain(from, to));
    if (frames != null) this.#take(frames);
  }

  async #loadOlder(): Promise<void> {
    while (this.frames.peek()?.partial) {
      const more = await this.attempt(() => this.#loader.older());
      if (more === undefined) return;
      this.#take(more);
    }
  }

  #take(frames: Frames | null): void {
    batch(() => {
      this.frames.value = frames;
      if (frames !== null) this.view.setLimits(frames.first, Math.max(frames.end, frames.first + HOUR));
      else this.notice.value = ARCHIVE.none;
      this.viewVersion.value += 1;
    });
  }

  /** Runs a call until it succeeds. Returns undefined if the archive was closed or refused in the meantime. */
  attempt<T>(call: () => Promise<T>, signal: AbortSignal = this.#stop.signal): Promise<T | undefined> {
    return this.attempts.run(call, AbortSignal.any([signal, this.#stop.signal]));
  }

  /** Shows the frame at a time. Picture, time, words and address change when the picture can be drawn. */
  go(time: number, { draft = false, held = false, step = false, push = false }: Move = {}): void {
    const before = this.pending.peek();
    if (before !== null && before !== time) this.#direction = time > before ? 1 : -1;
    this.pending.value = time;
    this.#draft = draft;
    this.#pace = draft && !held ? "drag" : step ? "step" : "stop";
    this.#push ||= push;
    if (before !== time) {
      this.#sharpening.abort();
      this.#settled = null;
    }
    const isStop = this.#pace === "stop";
    // The finger is back at a picture that is available, so it need not wait for the picture that it left.
    const isOvertaken = draft && this.#wanted !== null && this.#isHere(time) && !this.#isHere(this.#wanted);
    if (isStop && before !== time) this.previews.giveUp(time);
    if (isStop || isOvertaken) {
      this.#loading?.abort();
      this.#loading = null;
    }
    if (this.shown.peek() === null) this.notice.value = ARCHIVE.loadingPicture;
    if (this.#loading === null) void this.#showPending();
  }

  /** Shows the pending frame and its successors. In a run of steps, the network decides how many pictures are shown. */
  async #showPending(): Promise<void> {
    const loading = new AbortController();
    this.#loading = loading;
    const { signal } = loading;
    this.busy.value = true;
    for (let time = this.pending.peek(); time !== null && this.shown.peek() !== time; time = this.pending.peek()) {
      const wanted = time;
      this.#wanted = wanted;
      await this.#previewOf(wanted);
      if (signal.aborted) return;
      // The finger moved on before the answer for this frame arrived.
      if (this.#pace === "drag" && !this.#isHere(wanted) && this.pending.peek() !== wanted) continue;
      const picture = await this.attempt(() => this.pictures.first(wanted, signal), signal);
      if (signal.aborted || picture === undefined) return;
      this.#commit(wanted, picture);
      if (this.#pace === "step") void this.#readAhead(wanted);
    }
    this.#loading = null;
    this.#wanted = null;
    this.busy.value = false;
    if (this.#pace !== "drag") await this.#settle();
  }

  #isHere(time: number): boolean {
    return this.previews.has(time) || this.pictures.hasThumbnail(time);
  }

  /** Reads the preview of a frame: alone when somebody waits for it, with those ahead while the finger moves. */
  async #previewOf(time: number): Promise<void> {
    const isHere = this.#isHere(time);
    const ahead = this.#pace === "drag" ? this.#readAhead(time) : undefined;
    if (isHere) return;
    await (ahead === undefined ? this.previews.first(time) : (this.previews.reading(time) ?? ahead));
  }

  /** The only function that changes the shown frame. */
  #commit(time: number, picture: LoadedPicture | null): void {
    this.#sharpening.abort();
    this.#settled = null;
    batch(() => {
      this.shown.value = time;
      this.captureId.value = picture?.captureId ?? null;
      if (this.details.peek()?.capturedAtUtc !== new Date(time).toISOString()) this.details.value = null;
      this.notice.value = picture === null ? ARCHIVE.pictureGone : null;
      this.stage.put(picture?.image ?? null, this.describe());
      this.#quality = picture?.quality ?? "original";
      if (this.finger.peek() === null) this.view.reveal(time);
      this.viewVersion.value += 1;
      this.#writeAddress(this.#push);
      if (!this.#draft) this.#push = false;
    });
  }
  #quality: LoadedPicture["quality"] = "preview";

  /** Reads more when a person stays at a frame: its better pictures, its facts, and the neighbours' pictures. */
  async #settle(): Promise<void> {
    const time = this.shown.peek();
    if (time === null) return;
    this.#writeAddress(this.#push);
    if (!this.#draft) this.#push = false;
    if (this.#settled === time) return;
    this.#settled = time;
    this.#sharpening.abort();
    const sharpening = new AbortController();
    this.#sharpening = sharpening;
    const { signal } = sharpening;
    const captureId = this.captureId.peek();
    if (captureId === null) return void this.refresh();
    const rested = new Promise((resolve) => setTimeout(resolve, REST_MS));
    for (const form of ["thumbnail", "original"] as const) {
      if (form === "thumbnail" && this.#quality !== "preview") continue;
      if (form === "original") {
        void this.#readAhead(time);
        await rested;
        if (signal.aborted) return;
      }
      const better = await this.attempt(() => this.pictures.read(captureId, form, signal), signal);
      if (signal.aborted || better === undefined) return;
      if (better === null) {
        this.notice.value = ARCHIVE.pictureGone;
        return void this.refresh();
      }
      this.stage.put(better.image, this.describe());
      this.#quality = form;
    }
    const details = await this.attempt(() => this.port.seek(new Date(time).toISOString()), signal);
    if (signal.aborted || details === undefined) return;
    this.details.value = details;
    await this.#prefetch(time, signal);
  }

  /** The thumbnails of the neighbours, in the direction of the last move first. */
  async #prefetch(time: number, signal: AbortSignal): Promise<void> {
    const frames = this.frames.peek();
    if (frames === null) return;
    const index = frames.nearest(time);
    for (const away of [1, 2, -1]) {
      const captureId = this.previews.get(frames.at(index + away * this.#direction))?.captureId;
      if (captureId === undefined || signal.aborted) continue;
      await this.pictures.bytes(captureId, "thumbnail", signal).catch(() => null);
    }
  }

  /** Reads the previews that the finger or the next steps may pass. */
  async #readAhead(time: number): Promise<void> {
    const frames = this.frames.peek();
    if (frames === null) return;
    const isDrag = this.#pace === "drag";
    const stride = isDrag ? strideOf(this.view, frames) : 1;
    const times = timesAround(frames, time, { direction: this.#direction, stride });
    const isAsked = (one: number) => this.previews.has(one) || this.previews.reading(one) !== undefined;
    const isUrgent = isDrag && !this.#isHere(time) && !isAsked(time);
    if (isUrgent || isWorthReading(times, isAsked)) await this.previews.guess(times);
  }

  /** Shows another part of the archive on the ruler. */
  changeView(change: (view: RulerView) => void): void {
    change(this.view);
    this.viewVersion.value += 1;
    this.#keepState();
  }

  /** Writes a change that is not another picture. While a picture is awaited, the address changes together with it. */
  #keepState(): void {
    if (this.pending.peek() === this.shown.peek()) this.#writeAddress();
  }

  #writeAddress(push = false): void {
    const t = this.shown.peek();
    if (this.#draft || t === null) return;
    const [before, ownClock, daily] = [this.before.peek(), this.ownClock.peek(), this.daily.peek()];
    this.#address.write({ t, span: this.view.span, before, ownClock, zoom: this.zoom.place.peek(), daily }, push);
  }

  /** The address of the page, with the current state. */
  addressNow(): string {
    this.#address.writeNow();
    return location.href;
  }

  /** The history returned to another address: shows its state. */
  follow(address: ArchiveAddress): void {
    const frames = this.frames.peek();
    if (frames === null || address.t === null || !this.#address.comesFromHistory(address)) return;
    const { before, ownClock, daily, zoom, span } = address;
    const at = frames.at(frames.nearest(address.t));
    this.go(at);
    batch(() => {
      this.before.value = before;
      this.ownClock.value = ownClock;
      this.daily.value = daily;
      this.zoom.show(zoom);
      if (span !== null && Math.abs(span - this.view.span) > MINUTE) this.changeView((view) => view.setSpan(span, at));
    });
  }

  /** Reads new and removed frames. The view moves only if it shows the latest frame. */
  async refresh(): Promise<void> {
    const before = this.frames.peek();
    const next = await this.attempt(() => this.#loader.refresh());
    if (next === undefined || next === before || this.frames.peek() !== before) return;
    const pending = this.pending.peek();
    const wasLatest = before === null || pending === before.last;
    this.#take(next);
    if (next === null) {
      this.#showNothing();
      return;
    }
    if (before !== null && wasLatest && next.last > before.last)
      this.changeView((view) => view.pan(next.last - before.last));
    if (before === null) this.view.setSpan(Math.min(DEFAULT_SPAN, this.view.maxSpan), next.last);
    const isGone = pending !== null && next.times[lowerBound(next.times, pending)] !== pending;
    if (pending === null || (wasLatest && next.last !== pending)) this.go(next.last, { step: true });
    else if (isGone && this.captureId.peek() === null) this.go(next.at(next.nearest(pending)));
    if (next.partial) await this.#loadOlder();
  }

  /** Forgets a frame that was removed, and shows the next one. */
  drop(time: number): void {
    const frames = this.#loader.drop(time);
    this.#take(frames);
    if (frames === null) this.#showNothing();
    else if (this.pending.peek() === time) this.go(frames.at(frames.lower(time)));
  }

  /** Inserts a removed frame again, and shows it. */
  restore(time: number): void {
    this.#take(this.#loader.restore(time));
    this.go(time);
  }

  #showNothing(): void {
    this.scrubber.stop();
    this.#loading?.abort();
    this.#loading = null;
    this.#wanted = null;
    batch(() => {
      this.shown.value = null;
      this.pending.value = null;
      this.captureId.value = null;
      this.details.value = null;
      this.busy.value = false;
      this.notice.value = ARCHIVE.none;
      this.stage.put(null, "");
    });
  }
}
