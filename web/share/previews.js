/** Times one call may ask for. */
const BATCH = 32;
/** Pixels of the ruler between two previews. */
const SPACING = 24;
/** Previews kept; each is at most 3 KiB. */
const MOST_KEPT = 2_000;

/** Tiny pictures of one camera by time, asked for in batches ahead of the pointer. */
export class Previews {
  #ask;
  #images = new Map();
  /** Capture ids (or null) by the time that was asked for. */
  #samples = new Map();
  #pending = null;

  /** `ask(times, signal)` answers `{ samples, images }`, or null when the camera is gone. */
  constructor(ask) {
    this.#ask = ask;
  }

  stop() {
    this.#pending?.abort();
  }

  /** The picture of the sample nearest to a time, within half a spacing; undefined where none is known yet. */
  at(ms, ruler) {
    const step = this.#step(ruler);
    const id = this.#samples.get(Math.round(ms / step) * step);
    return id === undefined ? undefined : (this.#images.get(id) ?? null);
  }

  /** Asks for what is missing around a time; an earlier question that is still open is dropped. */
  async around(ms, ruler) {
    const step = this.#step(ruler);
    const middle = Math.round(ms / step);
    // The place nearest to an end of the ruler may lie beyond it.
    const [from, to] = [ruler.from - step / 2, ruler.to + step / 2];
    const wanted = [];
    for (let away = 0; away < 4 * BATCH && wanted.length < BATCH; away++)
      for (const n of away === 0 ? [middle] : [middle + away, middle - away]) {
        const at = n * step;
        if (at >= from && at <= to && !this.#samples.has(at) && wanted.length < BATCH) wanted.push(at);
      }
    if (wanted.length === 0 || (this.#samples.has(middle * step) && wanted.length < BATCH / 4)) return;
    this.#pending?.abort();
    const pending = new AbortController();
    this.#pending = pending;
    const answer = await this.#ask(
      wanted.map((at) => new Date(at).toISOString()),
      pending.signal,
    );
    if (answer === null || pending.signal.aborted) return;
    if (this.#images.size > MOST_KEPT) {
      this.#images.clear();
      this.#samples.clear();
    }
    for (const image of answer.images) this.#images.set(image.captureId, image);
    for (const [n, sample] of answer.samples.entries()) this.#samples.set(wanted[n], sample.captureId);
  }

  /** Whole steps of time, so that the same places are asked for again and again: a power of two, milliseconds. */
  #step(ruler) {
    const exact = ((ruler.to - ruler.from) / Math.max(1, ruler.width)) * SPACING;
    return 2 ** Math.max(13, Math.ceil(Math.log2(exact)));
  }
}
