import { MINUTE } from "../../../archive/clock.ts";
import type { ArchiveAddress } from "../../../archive/port.ts";

const timeOf = (text: string | null | undefined): number | null => {
  const time = Date.parse(text ?? "");
  return Number.isFinite(time) ? time : null;
};

/** The parameters of the archive in an address: `t` and `before`, times in UTC, and `span`, minutes. */
export function readAddress({ searchParams }: URL): ArchiveAddress {
  const span = Number(searchParams.get("span") ?? Number.NaN) * MINUTE;
  return {
    t: timeOf(searchParams.get("t")),
    span: Number.isFinite(span) && span > 0 ? span : null,
    before: timeOf(searchParams.get("before")),
  };
}

/** The address of a moment in the archive. Its other parts do not change. */
export function writeAddress(address: URL, { t, span, before }: ArchiveAddress): string {
  const next = new URL(address);
  const set = (name: string, value: string | null) =>
    value === null ? next.searchParams.delete(name) : next.searchParams.set(name, value);
  set("t", t === null ? null : new Date(t).toISOString());
  set("span", span === null ? null : String(Math.round(span / MINUTE)));
  set("before", before === null ? null : new Date(before).toISOString());
  return next.href;
}
