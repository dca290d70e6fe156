import { release } from "./pictures.ts";

/**
 * The place of the large picture. The previous picture stays until the next one can be drawn. Then they change in one
 * step.
 */
export class Stage {
  #host: Element | null = null;
  #image: HTMLImageElement | null = null;
  #alt = "";

  /** Shows the picture in this element from now on. */
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

  /** The description of the picture, which changes with the clock. */
  describe(alt: string): void {
    this.#alt = alt;
    if (this.#image === null) return;
    this.#image.className = "picture";
    this.#image.alt = this.#alt;
  }
}
