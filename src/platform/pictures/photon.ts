import photonModule from "@cf-wasm/photon/photon.wasm";
import { WasmLibrary } from "./wasm";

/*
 * The functions of photon that the service uses, over its WebAssembly. The JavaScript of the package keeps one instance for the
 * life of an isolate, and has no way to start another after a panic.
 */

/** The exports, as version 0.4.0 of the package has them. A bytes result is its place and its length. */
interface Exports {
  memory: WebAssembly.Memory;
  __wbindgen_externrefs: WebAssembly.Table;
  __wbindgen_start(): void;
  __wbindgen_malloc(size: number, alignment: number): number;
  __wbindgen_free(place: number, size: number, alignment: number): void;
  photonimage_new_from_byteslice(place: number, length: number): number;
  photonimage_get_raw_pixels(image: number): [number, number];
  photonimage_get_bytes(image: number): [number, number];
  photonimage_get_width(image: number): number;
  photonimage_get_height(image: number): number;
  resize(image: number, width: number, height: number, filter: number): number;
  __wbg_photonimage_free(image: number, isMoved: number): void;
}

/** The number of the filter Lanczos3. */
const LANCZOS3 = 5;

/** One picture in the memory of photon. Call `free` when its work has succeeded. */
export class PhotonPicture {
  readonly #exports: Exports;
  readonly #image: number;

  constructor(exports: Exports, image: number) {
    this.#exports = exports;
    this.#image = image;
  }

  /** Pixels. */
  get width(): number {
    return this.#exports.photonimage_get_width(this.#image) >>> 0;
  }

  /** Pixels. */
  get height(): number {
    return this.#exports.photonimage_get_height(this.#image) >>> 0;
  }

  /** Four bytes a pixel: red, green, blue and opacity. */
  pixels(): Uint8Array {
    return this.#taken(this.#exports.photonimage_get_raw_pixels(this.#image));
  }

  /** The picture as a PNG file. */
  png(): Uint8Array {
    return this.#taken(this.#exports.photonimage_get_bytes(this.#image));
  }

  /** The picture in another size, pixels. */
  resized(width: number, height: number): PhotonPicture {
    return new PhotonPicture(this.#exports, this.#exports.resize(this.#image, width, height, LANCZOS3));
  }

  free(): void {
    this.#exports.__wbg_photonimage_free(this.#image, 0);
  }

  #taken([place, length]: [number, number]): Uint8Array {
    const { memory } = this.#exports;
    const bytes = new Uint8Array(memory.buffer, place >>> 0, length >>> 0).slice();
    this.#exports.__wbindgen_free(place, length, 1);
    return bytes;
  }
}

/** One instance of photon. */
class Photon {
  readonly #exports: Exports;

  constructor() {
    // All other imports are of browsers and of the report of a panic, which the trap after it makes needless.
    const imports = WebAssembly.Module.imports(photonModule).map(({ module, name }) => ({ module, name }));
    const byModule: Record<string, Record<string, () => void>> = {};
    for (const { module, name } of imports) {
      byModule[module] ??= {};
      byModule[module][name] = name === "__wbindgen_init_externref_table" ? () => this.#startTable() : () => {};
    }
    this.#exports = new WebAssembly.Instance(photonModule, byModule).exports as unknown as Exports;
    this.#exports.__wbindgen_start();
  }

  /** Decodes a file. @throws WebAssembly.RuntimeError if it cannot: photon panics */
  decode(file: Uint8Array): PhotonPicture {
    const exports = this.#exports;
    const place = exports.__wbindgen_malloc(file.length, 1) >>> 0;
    new Uint8Array(exports.memory.buffer).set(file, place);
    return new PhotonPicture(exports, exports.photonimage_new_from_byteslice(place, file.length));
  }

  /** Enters the values that every table of references begins with. */
  #startTable(): void {
    const table = this.#exports.__wbindgen_externrefs;
    const offset = table.grow(4);
    table.set(0, undefined);
    for (const [n, value] of [undefined, null, true, false].entries()) table.set(offset + n, value);
  }
}

/** Photon. Its 1.6 MB of WebAssembly are instantiated only for a picture that needs it. */
export const photon = new WasmLibrary(() => new Photon());
