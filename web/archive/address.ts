import { clockOf, MINUTE, minutesOf } from "./clock.ts";
import type { ArchiveAddress, ZoomPlace } from "./port.ts";

/** The closest zoom of a picture that an address can have. */
const MAX_SCALE = 64;

/** The parts of an archive's state as the texts of an address; null for a part that has its usual value. */
export type AddressTexts = Record<"t" | "span" | "before" | "clock" | "zoom" | "daily", string | null>;

const utc = (time: number | null): string | null => (time === null ? null : new Date(time).toISOString());
const rounded = (share: number): string => String(Number(share.toFixed(4)));

/** The state of an archive as texts. Spans are whole minutes. */
export const textsOf = ({ t, span, before, ownClock, zoom, daily }: ArchiveAddress): AddressTexts => ({
  t: utc(t),
  span: span === null ? null : String(Math.round(span / MINUTE)),
  before: utc(before),
  clock: ownClock ? "own" : null,
  zoom: zoom === null ? null : [zoom.scale, zoom.x, zoom.y].map(rounded).join(),
  daily: daily === null ? null : clockOf(daily),
});

const timeOf = (text: string | null): number | null => {
  const time = Date.parse(text ?? "");
  return Number.isFinite(time) ? time : null;
};

function placeOf(text: string | null): ZoomPlace | null {
  const [scale = Number.NaN, x = Number.NaN, y = Number.NaN] = text?.split(",").map(Number) ?? [];
  const isShare = (one: number) => one >= 0 && one <= 1;
  return scale > 1 && scale <= MAX_SCALE && isShare(x) && isShare(y) ? { scale, x, y } : null;
}

/** The state that texts of an address describe. A text that is not valid counts as missing. */
export function addressOf(texts: AddressTexts): ArchiveAddress {
  const span = Number(texts.span ?? Number.NaN) * MINUTE;
  return {
    t: timeOf(texts.t),
    span: Number.isFinite(span) && span > 0 ? span : null,
    before: timeOf(texts.before),
    ownClock: texts.clock === "own",
    zoom: placeOf(texts.zoom),
    daily: minutesOf(texts.daily ?? ""),
  };
}

/**
 * Zooms and other parts that can change often are written after a pause, because browsers refuse an address that
 * changes very often.
 */
const REST_MS = 150;

/** Keeps the address of an archive, and knows which addresses it wrote itself. */
export class AddressKeeper {
  #written: Pick<ArchiveAddress, "t" | "before"> | null = null;
  /** The last address that was kept, as texts. */
  #kept = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** A state that is not written yet. */
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
    this.#keep(address, push && !isFirst && !isSameFrame);
  }

  #keep(address: ArchiveAddress, push: boolean): void {
    this.#kept = JSON.stringify(textsOf(address));
    this.keep(address, push);
  }

  /** Writes a state that rests, without its pause. */
  writeNow(): void {
    clearTimeout(this.#timer);
    this.#writeResting();
  }

  #writeResting(): void {
    if (this.#resting !== null) this.#keep(this.#resting, false);
    this.#resting = null;
  }

  /** Whether other code wrote this address. Afterwards it counts as written. */
  comesFromHistory(address: ArchiveAddress): boolean {
    const texts = JSON.stringify(textsOf(address));
    if (texts === this.#kept) return false;
    // The zoom of the address before does not replace this zoom.
    clearTimeout(this.#timer);
    this.#resting = null;
    this.#written = { t: address.t, before: address.before };
    this.#kept = texts;
    return true;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
