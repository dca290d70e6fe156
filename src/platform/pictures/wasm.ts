/**
 * A library in WebAssembly. The first call starts an instance, and a failure ends it: a trap stops the instance in the middle of its
 * work, and later calls of the same instance fail for good files too. The next call then starts another instance.
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
   * Runs `work` with the library. After any error of `work`, the next call gets a new instance. The memory of the failed instance is
   * released as a whole, so `work` frees its handles only if it succeeds.
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
