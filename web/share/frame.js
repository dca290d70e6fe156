/** Pause after which the original is fetched, milliseconds: whoever moves on sees thumbnails. */
const REST = 350;

const decoded = async (blob) => {
  const url = URL.createObjectURL(blob);
  const image = new Image();
  image.src = url;
  try {
    await image.decode();
    return url;
  } catch {
    URL.revokeObjectURL(url);
    return null;
  }
};

/**
 * The large picture: the preview at once, then the thumbnail, then the original when one rests. The
 * picture before stays until the next is decoded, so that nothing flashes.
 */
export class Frame {
  #picture;
  #fetchImage;
  #current = null;
  #shown = null;

  #shownNow;

  /**
   * `fetchImage(captureId, thumbnail, signal)` answers a Blob, or null when it is not available;
   * `shownNow` hears of each picture that can be seen.
   */
  constructor(picture, fetchImage, shownNow) {
    this.#shownNow = shownNow;
    this.#picture = picture;
    this.#fetchImage = fetchImage;
  }

  clear() {
    this.#current?.abort();
    this.#picture.hidden = true;
    this.#replace(null);
  }

  #replace(url) {
    if (this.#shown !== null) URL.revokeObjectURL(this.#shown);
    this.#shown = url;
    if (url === null) this.#picture.removeAttribute("src");
    else this.#picture.src = url;
  }

  /** Shows a capture; `preview` is a data URL or null. @returns whether a picture could be shown. */
  async show(capture, preview, description) {
    this.#current?.abort();
    const current = new AbortController();
    this.#current = current;
    const { signal } = current;
    this.#picture.alt = description;
    if (preview !== null) {
      this.#replace(null);
      this.#picture.src = preview;
      this.#picture.hidden = false;
    }
    const thumbnail = await this.#load(capture, true, signal);
    if (signal.aborted || thumbnail === null) return signal.aborted;
    await new Promise((resolve) => setTimeout(resolve, REST));
    if (!signal.aborted) await this.#load(capture, false, signal);
    return true;
  }

  async #load({ id }, thumbnail, signal) {
    const blob = await this.#fetchImage(id, thumbnail, signal);
    const url = blob === null ? null : await decoded(blob);
    if (signal.aborted && url !== null) URL.revokeObjectURL(url);
    if (signal.aborted || url === null) return null;
    this.#replace(url);
    this.#picture.hidden = false;
    this.#shownNow();
    return url;
  }
}
