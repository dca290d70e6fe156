import type { ArchiveAddress } from "./port.ts";

/** The zoom of the ruler is written after a pause, because browsers refuse an address that changes very often. */
const REST_MS = 150;

/** Keeps the address of an archive, and knows which addresses it wrote itself. */
export class AddressKeeper {
  #written: Pick<ArchiveAddress, "t" | "before"> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** A zoom that is not written yet. */
  #resting: ArchiveAddress | null = null;

  constructor(private readonly keep: (address: ArchiveAddress, push: boolean) => void) {}

  /** `push` adds an entry to the history. It does not do so for the first address. */
  write(address: ArchiveAddress, push: boolean): void {
    clearTimeout(this.#timer);
    const { t, before } = address;
    const isSameFrame = this.#written?.t === t;
    if (isSameFrame && this.#written?.before === before) {
      this.#resting = address;
      this.#timer = setTimeout(() => this.#writeResting(), REST_MS);
      return;
    }
    const isFirst = this.#written === null;
    this.#written = { t, before };
    if (push && !isSameFrame) this.#writeResting();
    this.#resting = null;
    this.keep(address, push && !isFirst && !isSameFrame);
  }

  #writeResting(): void {
    if (this.#resting !== null) this.keep(this.#resting, false);
    this.#resting = null;
  }

  /** Whether other code wrote this time into the address. Afterwards it counts as written. */
  comesFromHistory(t: number): boolean {
    if (t === this.#written?.t) return false;
    // The zoom of the address before does not replace this one.
    clearTimeout(this.#timer);
    this.#resting = null;
    this.#written = { t, before: this.#written?.before ?? null };
    return true;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
