import {
  BufferTarget,
  CanvasSource,
  getFirstEncodableVideoCodec,
  Mp4OutputFormat,
  Output,
  QUALITY_HIGH,
} from "mediabunny";
import { ARCHIVE } from "#texts/archive.ts";
import { lengthOf } from "../ui/format.ts";
import type { Clock } from "./clock.ts";
import type { Frames, Gap } from "./frames.ts";

/** Duration of a gap in the film, seconds. */
const GAP_SECONDS = 0.5;
/** Pictures that are read ahead of the encoder. */
const READ_AHEAD = 6;
const KEY_FRAME_SECONDS = 2;

export interface Film {
  frames: Frames;
  clock: Clock;
  /** The times of its pictures, in order. */
  times: readonly number[];
  perSecond: number;
  /** Whether each picture shows its time. */
  stamped: boolean;
  /** The bytes of the picture of a time; null when it is gone. */
  read(time: number, signal: AbortSignal): Promise<Blob | null>;
  onProgress(done: number, total: number): void;
}

/** The browser has no encoder for films of this size. */
export class NoEncoder extends Error {}

/** Pictures that were read ahead, in order. Removed ones are left out. */
async function* readAhead({ times, read }: Film, signal: AbortSignal) {
  const waiting: { time: number; bitmap: Promise<ImageBitmap | null> }[] = [];
  const begin = (time: number) => {
    const bitmap = read(time, signal).then((blob) => (blob === null ? null : createImageBitmap(blob)));
    bitmap.catch(() => undefined);
    waiting.push({ time, bitmap });
  };
  for (const time of times.slice(0, READ_AHEAD)) begin(time);
  for (let next = READ_AHEAD; waiting.length > 0; next++) {
    const first = waiting.shift();
    const time = times[next];
    if (time !== undefined) begin(time);
    const bitmap = await first?.bitmap;
    signal.throwIfAborted();
    if (first !== undefined) yield { time: first.time, bitmap: bitmap ?? null };
  }
}

const even = (edge: number): number => Math.max(2, Math.round(edge / 2) * 2);

/** Draws and encodes the pictures of a film. A gap is cut, and a card names its length and cause. */
class FilmMaker {
  readonly #canvas: OffscreenCanvas;
  readonly #pen: OffscreenCanvasRenderingContext2D;
  readonly #source: CanvasSource;
  readonly #output: Output<Mp4OutputFormat, BufferTarget>;
  #seconds = 0;

  private constructor(
    private readonly film: Film,
    width: number,
    height: number,
    codec: NonNullable<Awaited<ReturnType<typeof getFirstEncodableVideoCodec>>>,
  ) {
    this.#canvas = new OffscreenCanvas(width, height);
    const pen = this.#canvas.getContext("2d");
    if (pen === null) throw new NoEncoder();
    this.#pen = pen;
    this.#output = new Output({ format: new Mp4OutputFormat({ fastStart: "in-memory" }), target: new BufferTarget() });
    this.#source = new CanvasSource(this.#canvas, {
      codec,
      quality: QUALITY_HIGH,
      keyFrameInterval: KEY_FRAME_SECONDS,
    });
    this.#output.addVideoTrack(this.#source, { frameRate: film.perSecond });
  }

  /** @throws NoEncoder when the browser cannot encode pictures of this size. */
  static async begin(film: Film, { width, height }: ImageBitmap): Promise<FilmMaker> {
    const size = { width: even(width), height: even(height) };
    const codec = await getFirstEncodableVideoCodec(["avc", "vp9", "av1", "hevc"], { ...size, quality: QUALITY_HIGH });
    if (codec === null) throw new NoEncoder();
    const maker = new FilmMaker(film, size.width, size.height, codec);
    await maker.#output.start();
    return maker;
  }

  async picture(time: number, bitmap: ImageBitmap): Promise<void> {
    const { width, height } = this.#canvas;
    const scale = Math.min(width / bitmap.width, height / bitmap.height);
    const [wide, high] = [bitmap.width * scale, bitmap.height * scale];
    this.#ground();
    this.#pen.drawImage(bitmap, (width - wide) / 2, (height - high) / 2, wide, high);
    if (this.film.stamped) this.#stamp(time);
    await this.#add(1 / this.film.perSecond);
  }

  async gap({ start, end, cause }: Gap): Promise<void> {
    const { width, height } = this.#canvas;
    const size = Math.round(height / 18);
    this.#ground();
    this.#pen.fillStyle = "#e8ebee";
    this.#pen.textAlign = "center";
    this.#pen.font = `600 ${size}px system-ui, sans-serif`;
    this.#pen.fillText(ARCHIVE.noPicturesFor(lengthOf(end - start)), width / 2, height / 2);
    this.#pen.font = `400 ${Math.round(size * 0.7)}px system-ui, sans-serif`;
    this.#pen.fillText(ARCHIVE.causes[cause], width / 2, height / 2 + size * 1.4);
    await this.#add(GAP_SECONDS);
  }

  async finish(): Promise<Blob> {
    await this.#output.finalize();
    return new Blob([this.#output.target.buffer ?? new ArrayBuffer()], { type: "video/mp4" });
  }

  cancel(): Promise<void> {
    return this.#output.cancel();
  }

  #ground(): void {
    this.#pen.fillStyle = "#0a0b0c";
    this.#pen.fillRect(0, 0, this.#canvas.width, this.#canvas.height);
  }

  #stamp(time: number): void {
    const { height } = this.#canvas;
    const size = Math.max(12, Math.round(height / 32));
    const words = `${this.film.clock.say(time, "date")} ${this.film.clock.say(time, "time")}`;
    this.#pen.textAlign = "left";
    this.#pen.textBaseline = "middle";
    this.#pen.font = `600 ${size}px system-ui, sans-serif`;
    const { width } = this.#pen.measureText(words);
    this.#pen.fillStyle = "rgb(10 11 12 / 0.7)";
    this.#pen.fillRect(size / 2, height - size * 2.2, width + size, size * 1.7);
    this.#pen.fillStyle = "#ffffff";
    this.#pen.fillText(words, size, height - size * 1.3);
  }

  async #add(duration: number): Promise<void> {
    await this.#source.add(this.#seconds, duration);
    this.#seconds += duration;
  }
}

/** Makes an MP4 of pictures. @throws NoEncoder, and the reason of the signal when it is stopped. */
export async function makeFilm(film: Film, signal: AbortSignal): Promise<Blob> {
  let maker: FilmMaker | null = null;
  let before = Number.NEGATIVE_INFINITY;
  let done = 0;
  try {
    for await (const { time, bitmap } of readAhead(film, signal)) {
      film.onProgress(++done, film.times.length);
      if (bitmap === null) continue;
      maker ??= await FilmMaker.begin(film, bitmap);
      const gap = film.frames.gaps.find(({ start, end }) => start >= before && end <= time);
      if (gap !== undefined && before > 0) await maker.gap(gap);
      await maker.picture(time, bitmap);
      bitmap.close();
      before = time;
    }
  } catch (thrown) {
    await maker?.cancel();
    throw thrown;
  }
  if (maker === null) throw new NoEncoder();
  return maker.finish();
}
