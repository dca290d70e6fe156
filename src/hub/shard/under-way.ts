/** Bytes that one client may have sent and not been answered yet: hundreds of joins at once, and no flood. */
export const MOST_BYTES_UNDER_WAY = 256 * 1024;

/** What clients sent and the object still works on, bytes by connection: a socket cannot be told to wait. */
export class UnderWay {
  readonly #bytes = new Map<string, number>();

  /** Counts a message in; false when it is too much at once, and then it counts nothing. */
  begin(connectionId: string, bytes: number): boolean {
    const all = (this.#bytes.get(connectionId) ?? 0) + bytes;
    if (all > MOST_BYTES_UNDER_WAY) return false;
    this.#bytes.set(connectionId, all);
    return true;
  }

  end(connectionId: string, bytes: number): void {
    const left = (this.#bytes.get(connectionId) ?? 0) - bytes;
    if (left > 0) this.#bytes.set(connectionId, left);
    else this.#bytes.delete(connectionId);
  }
}
