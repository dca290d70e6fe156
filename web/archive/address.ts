import type { ArchiveAddress } from "./port.ts";

/** Changes of the same frame's address are written when one rests: browsers refuse it when it changes very often. */
const REST_MS = 150;

/** Keeps the address of an archive, and knows which addresses it wrote itself. */
export class AddressKeeper {
  #written: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly keep: (address: ArchiveAddress, push: boolean) => void) {}

  /** `push` makes an entry of the history. The first address is none. */
  write(address: ArchiveAddress, push: boolean): void {
    clearTimeout(this.#timer);
    if (this.#written === address.t) {
      this.#timer = setTimeout(() => this.keep(address, false), REST_MS);
      return;
    }
    const isFirst = this.#written === null;
    this.#written = address.t;
    this.keep(address, push && !isFirst);
  }

  /** Whether somebody else wrote this time into the address. It counts as written. */
  comesFromHistory(t: number): boolean {
    if (t === this.#written) return false;
    this.#written = t;
    return true;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
