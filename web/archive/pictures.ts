import type { ArchivePort, ImageForm } from "./port.ts";
import type { Previews } from "./previews.ts";

/** Maximum number of thumbnails that are kept. */
const MAX_THUMBNAILS = 80;

/** The quality of a picture: 128 pixels, 640 pixels, or the original. */
type Quality = "preview" | ImageForm;

export interface LoadedPicture {
  image: HTMLImageElement;
  captureId: string;
  quality: Quality;
}

/** A picture that can be drawn at once; null if the bytes are not a picture. */
async function decoded(url: string): Promise<HTMLImageElement | null> {
  const image = new Image();
  image.decoding = "sync";
  image.draggable = false;
  image.src = url;
  try {
    await image.decode();
    return image;
  } catch {
    release(image);
    return null;
  }
}

/** Frees the memory of a picture that is no longer shown. */
export function release(image: HTMLImageElement): void {
  if (image.src.startsWith("blob:")) URL.revokeObjectURL(image.src);
}

/** Reads the pictures of one archive: the preview or thumbnail first, the original on demand. */
export class Pictures {
  readonly #thumbnails = new Map<string, Blob>();
  readonly #ids = new Map<number, string>();

  constructor(
    private readonly port: ArchivePort,
    private readonly previews: Previews,
  ) {}

  /** The id of the capture at a time; null if it no longer exists. */
  async idOf(time: number): Promise<string | null> {
    const known = this.previews.get(time)?.captureId ?? this.#ids.get(time);
    if (known !== undefined) return known;
    const found = await this.port.seek(new Date(time).toISOString());
    if (found === null || Date.parse(found.capturedAtUtc) !== time) return null;
    this.#ids.set(time, found.id);
    return found.id;
  }

  /** The first available picture of a time; null if the capture no longer exists. */
  async first(time: number, signal: AbortSignal): Promise<LoadedPicture | null> {
    const preview = this.previews.get(time);
    if (preview !== undefined && !this.#thumbnails.has(preview.captureId)) {
      const image = await decoded(preview.url);
      if (image !== null) return { image, captureId: preview.captureId, quality: "preview" };
    }
    const captureId = await this.idOf(time);
    return captureId === null ? null : this.read(captureId, "thumbnail", signal);
  }

  /** A picture in one form; null if it no longer exists. */
  async read(captureId: string, form: ImageForm, signal: AbortSignal): Promise<LoadedPicture | null> {
    const blob = await this.bytes(captureId, form, signal);
    const image = blob === null ? null : await decoded(URL.createObjectURL(blob));
    return image === null ? null : { image, captureId, quality: form };
  }

  async bytes(captureId: string, form: ImageForm, signal: AbortSignal): Promise<Blob | null> {
    const known = form === "thumbnail" ? this.#thumbnails.get(captureId) : undefined;
    if (known !== undefined) return known;
    const blob = await this.port.image(captureId, form, signal);
    if (blob !== null && form === "thumbnail") this.#keep(captureId, blob);
    return blob;
  }

  /** Whether the thumbnail of a time was read. */
  hasThumbnail(time: number): boolean {
    const id = this.previews.get(time)?.captureId ?? this.#ids.get(time);
    return id !== undefined && this.#thumbnails.has(id);
  }

  #keep(captureId: string, blob: Blob): void {
    const [oldest] = this.#thumbnails.keys();
    if (this.#thumbnails.size >= MAX_THUMBNAILS && oldest !== undefined) this.#thumbnails.delete(oldest);
    this.#thumbnails.set(captureId, blob);
  }
}
