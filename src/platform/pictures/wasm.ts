/**
 * A library in WebAssembly, started at its first use and started anew after a failure. A trap leaves the stack and the heap of an
 * instance as they were in the middle of its work. Later calls of the same instance then fail, also for good files.
 */
export class WasmLibrary<Library> {
  readonly #start: () => Library;
  #current: Library | null = null;

  constructor(start: () => Library) {
    this.#start = start;
  }

  /** The library as it is now. @throws if it cannot be started */
  current(): Library {
    this.#current ??= this.#start();
    return this.#current;
  }

  /**
   * Runs `work` with the library. If it throws, whatever it throws, the next call gets a new instance. What the failed instance
   * holds is released with it, so `work` frees its handles only when it succeeds.
   */
  async run<T>(work: (library: Library) => T | Promise<T>): Promise<T> {
    const library = this.current();
    try {
      return await work(library);
    } catch (thrown) {
      if (this.#current === library) this.#current = null;
      throw thrown;
    }
  }
}

/** Whether WebAssembly failed: it trapped, or it filled the stack of the isolate. */
export const isTrap = (thrown: unknown): boolean =>
  thrown instanceof WebAssembly.RuntimeError || thrown instanceof RangeError;
