import resvgModule from "@cf-wasm/resvg/legacy/resvg.wasm";
import { WasmLibrary } from "../../platform/pictures/wasm";

/*
 * The functions of resvg that the service uses, over its WebAssembly. The JavaScript of the package keeps one instance for the life of
 * an isolate, and has no way to start another after a failure.
 */

/** The exports, as version 2.4.1 of resvg-wasm has them. Results with several parts are written to a place on the stack. */
interface Exports {
  memory: WebAssembly.Memory;
  __wbindgen_malloc(size: number): number;
  __wbindgen_free(place: number, size: number): void;
  __wbindgen_add_to_stack_pointer(bytes: number): number;
  resvg_new(result: number, svg: number, options: number, optionsLength: number): void;
  resvg_width(svg: number): number;
  resvg_height(svg: number): number;
  resvg_toString(result: number, svg: number): void;
  resvg_render(result: number, svg: number): void;
  renderedimage_asPng(result: number, image: number): void;
  __wbg_resvg_free(svg: number): void;
  __wbg_renderedimage_free(image: number): void;
}

/** Bytes of a result on the stack. */
const RESULT_BYTES = 16;
/** References below it are of constants. */
const FIRST_OBJECT = 132;

/** Which side of a drawing has a length, pixels. The other side follows the proportions. */
interface FitTo {
  mode: "width" | "height";
  value: number;
}

/** One instance of resvg. The numbers that it gives are handles of its SVGs and drawings. */
class Resvg {
  readonly #exports: Exports;
  /** Values of JavaScript that the WebAssembly refers to. */
  readonly #objects = new Map<number, unknown>();
  #nextObject = FIRST_OBJECT;

  constructor() {
    this.#exports = new WebAssembly.Instance(resvgModule, this.#imports()).exports as unknown as Exports;
  }

  /** Parses an SVG. @throws Error if resvg cannot read it; WebAssembly.RuntimeError or RangeError if it fails */
  parse(svg: Uint8Array, fitTo?: FitTo): number {
    const given = fitTo === undefined ? null : new TextEncoder().encode(JSON.stringify({ fitTo }));
    const place = given === null ? 0 : this.#exports.__wbindgen_malloc(given.length);
    if (given !== null) this.#bytes().set(given, place);
    const object = this.#keep(svg);
    const [parsed, thrown, isThrown] = this.#result((result) =>
      this.#exports.resvg_new(result, object, place, given?.length ?? 0),
    );
    if (isThrown !== 0) throw this.#take(thrown);
    return parsed;
  }

  /** The size of a parsed SVG, and resvg's own form of it: references followed, styles applied, shapes as paths. Frees it. */
  describe(svg: number): { width: number; height: number; form: string } {
    const [width, height] = [this.#exports.resvg_width(svg), this.#exports.resvg_height(svg)];
    const [place, length] = this.#result((result) => this.#exports.resvg_toString(result, svg));
    const form = this.#text(place, length);
    this.#exports.__wbindgen_free(place, length);
    this.#exports.__wbg_resvg_free(svg);
    return { width, height, form };
  }

  /** Draws a parsed SVG, and frees it. */
  render(svg: number): number {
    const [image, thrown, isThrown] = this.#result((result) => this.#exports.resvg_render(result, svg));
    if (isThrown !== 0) throw this.#take(thrown);
    this.#exports.__wbg_resvg_free(svg);
    return image;
  }

  /** Writes a drawing as a PNG file, and frees it. */
  png(image: number): Uint8Array {
    const [file, thrown, isThrown] = this.#result((result) => this.#exports.renderedimage_asPng(result, image));
    if (isThrown !== 0) throw this.#take(thrown);
    this.#exports.__wbg_renderedimage_free(image);
    return this.#take(file) as Uint8Array;
  }

  /** Calls a function that writes three numbers to a place on the stack. */
  #result(write: (place: number) => void): [number, number, number] {
    const place = this.#exports.__wbindgen_add_to_stack_pointer(-RESULT_BYTES);
    write(place);
    const view = new DataView(this.#exports.memory.buffer, place, RESULT_BYTES);
    const parts: [number, number, number] = [
      view.getInt32(0, true) >>> 0,
      view.getInt32(4, true) >>> 0,
      view.getInt32(8, true) >>> 0,
    ];
    this.#exports.__wbindgen_add_to_stack_pointer(RESULT_BYTES);
    return parts;
  }

  #bytes(): Uint8Array {
    return new Uint8Array(this.#exports.memory.buffer);
  }

  #text(place: number, length: number): string {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return text.decode(this.#bytes().subarray(place >>> 0, (place >>> 0) + length));
  }

  #keep(value: unknown): number {
    this.#objects.set(this.#nextObject, value);
    return this.#nextObject++;
  }

  #take(object: number): unknown {
    const value = this.#objects.get(object);
    this.#objects.delete(object);
    return value;
  }

  /** The functions that the WebAssembly calls. Another version of the package has other names. */
  #imports(): WebAssembly.Imports {
    const of = (object: number): unknown => this.#objects.get(object);
    return {
      wbg: {
        __wbg_new_15d3966e9981a196: (place: number, length: number) => this.#keep(new Error(this.#text(place, length))),
        __wbg_new_537b7341ce90bb31: (bytes: number) => this.#keep(new Uint8Array(of(bytes) as ArrayBuffer)),
        __wbg_new_b525de17f44a8943: () => this.#keep([]),
        __wbg_push_49c286f04dd3bf59: (list: number, value: number) => (of(list) as unknown[]).push(of(value)),
        __wbg_newwithbyteoffsetandlength_9fb2f11355ecadf5: (buffer: number, offset: number, length: number) =>
          this.#keep(new Uint8Array(of(buffer) as ArrayBuffer, offset >>> 0, length >>> 0)),
        __wbg_buffer_cf65c07de34b9a08: (memory: number) => this.#keep((of(memory) as WebAssembly.Memory).buffer),
        __wbg_length_27a2afe8ab42b09f: (bytes: number) => (of(bytes) as Uint8Array).length,
        __wbg_set_17499e8aa4003ebd: (target: number, source: number, offset: number) =>
          (of(target) as Uint8Array).set(of(source) as Uint8Array, offset >>> 0),
        __wbg_instanceof_Uint8Array_01cebe79ca606cca: (value: number) => of(value) instanceof Uint8Array,
        __wbindgen_memory: () => this.#keep(this.#exports.memory),
        __wbindgen_object_drop_ref: (object: number) => void this.#objects.delete(object),
        __wbindgen_string_new: (place: number, length: number) => this.#keep(this.#text(place, length)),
        // An SVG is given as bytes: no value is a string.
        __wbindgen_string_get: (result: number) => new DataView(this.#exports.memory.buffer).setInt32(result, 0, true),
        __wbindgen_throw: (place: number, length: number) => {
          throw new Error(this.#text(place, length));
        },
      },
    };
  }
}

/** Resvg. Its WebAssembly is instantiated only for an SVG. */
export const resvg = new WasmLibrary(() => new Resvg());
