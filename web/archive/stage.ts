import { release } from "./pictures.ts";

/** The place of the large picture. The one before stays until the next can be drawn, and then gives way in one step. */
export class Stage {
  #host: Element | null = null;
  #image: HTMLImageElement | null = null;
  #alt = "";

  /** Shows its picture in this element from now on. */
  readonly mount = (host: Element | null): void => {
    this.#host = host;
    if (host !== null && this.#image !== null) host.replaceChildren(this.#image);
  };

  get image(): HTMLImageElement | null {
    return this.#image;
  }

  put(image: HTMLImageElement | null, alt: string): void {
    const before = this.#image;
    this.#image = image;
    this.describe(alt);
    if (image === null) this.#host?.replaceChildren();
    else this.#host?.replaceChildren(image);
    if (before !== null && before !== image) release(before);
  }

  /** The words of the picture, which change with the clock. */
  describe(alt: string): void {
    this.#alt = alt;
    if (this.#image === null) return;
    this.#image.className = "picture";
    this.#image.alt = this.#alt;
  }
}
