import { type AddressTexts, addressOf, textsOf } from "../../../archive/address.ts";
import type { ArchiveAddress } from "../../../archive/port.ts";

/**
 * The parameters of the archive in an address: `t` and `before`, times in UTC; `span`, minutes; `clock`, `own` for the
 * viewer's clock; `zoom` of the picture; `daily`, the time of day of the day strip.
 */
export function readAddress({ searchParams }: URL): ArchiveAddress {
  const text = (name: keyof AddressTexts) => searchParams.get(name);
  return addressOf({
    t: text("t"),
    span: text("span"),
    before: text("before"),
    clock: text("clock"),
    zoom: text("zoom"),
    daily: text("daily"),
  });
}

/** The address of a state of the archive. Its other parts do not change. */
export function writeAddress(address: URL, state: ArchiveAddress): string {
  const next = new URL(address);
  for (const [name, text] of Object.entries(textsOf(state)))
    if (text === null) next.searchParams.delete(name);
    else next.searchParams.set(name, text);
  return next.href;
}
