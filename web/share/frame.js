/** Pause after which the original is fetched, milliseconds: whoever moves on sees thumbnails. */
const REST_MS = 350;

/** A picture that can be drawn at once, or null where the bytes are none. */
async function decoded(url) {
  const image = new Image();
  image.decoding = "sync";
  image.src = url;
  try {
    await image.decode();
    return image;
  } catch {
    URL.revokeObjectURL(url);
    return null;
  }
}

/**
 * The large picture: its preview at once, then the thumbnail, then the original when one rests. The picture before
 * stays until the next can be drawn, and then gives its place to it in one step.
 */
export class Frame {
  #picture;
  #fetchImage;
  #sharpening = null;

  /** `fetchImage(captureId, thumbnail, signal)` answers a Blob, or null when it is not available. */
  constructor(picture, fetchImage) {
    this.#picture = picture;
    this.#fetchImage = fetchImage;
  }

  /** The first picture there is of a capture; `preview` is a data URL or null. @returns null where there is none. */
  async load(capture, preview, signal) {
    return (preview === null ? null : await decoded(preview)) ?? (await this.#fetch(capture, true, signal));
  }

  async #fetch({ id }, thumbnail, signal) {
    const blob = await this.#fetchImage(id, thumbnail, signal);
    return blob === null ? null : decoded(URL.createObjectURL(blob));
  }

  /** Puts a loaded picture in the place of the one before; null: none. */
  put(picture, alt) {
    this.#sharpening?.abort();
    this.#swap(picture, alt);
  }

  #swap(picture, alt) {
    const before = this.#picture;
    const next = picture ?? new Image();
    Object.assign(next, { id: before.id, alt, hidden: picture === null });
    before.replaceWith(next);
    this.#picture = next;
    if (before.src.startsWith("blob:")) URL.revokeObjectURL(before.src);
  }

  /** Shows the capture's better pictures as they come, until another one is put. @returns false where it is gone. */
  async sharpen(capture) {
    this.#sharpening = new AbortController();
    const { signal } = this.#sharpening;
    const improve = async (thumbnail) => {
      const better = await this.#fetch(capture, thumbnail, signal);
      if (signal.aborted && better !== null) URL.revokeObjectURL(better.src);
      if (signal.aborted || better === null) return signal.aborted;
      this.#swap(better, this.#picture.alt);
      return true;
    };
    if (this.#picture.src.startsWith("data:") && !(await improve(true))) return false;
    await new Promise((resolve) => setTimeout(resolve, REST_MS));
    if (!signal.aborted) await improve(false);
    return true;
  }
}
