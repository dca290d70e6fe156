import { computed } from "@preact/signals";
import { dayUtc } from "../platform/days.ts";
import { address, navigate } from "../platform/router.ts";

export const SORTS = ["name", "path", "kind", "size", "changed", "addedBy"] as const;
export const KINDS = [
  "pdf",
  "text",
  "spreadsheet",
  "presentation",
  "mail",
  "picture",
  "film",
  "sound",
  "archive",
  "other",
] as const;
export const STATUSES = [
  "indexed",
  "recognized",
  "pending",
  "recognizing",
  "empty",
  "illegible",
  "encrypted",
  "damaged",
  "unsupported",
  "unknown-charset",
  "too-large",
  "failed",
  "recognition-off",
  "recognition-limit",
] as const;

/** The fields of the address that say which documents a list shows, and how. Absent ones have the first value. */
const FIELDS = ["sort", "order", "kind", "text", "tag", "by", "from", "until", "view"] as const;
type Field = (typeof FIELDS)[number];

const oneOf = <T extends string>(all: readonly T[], value: string | null): T | undefined =>
  all.find((one) => one === value);

/** The beginning of a day of the address in the person's clock, or of the day after it. Undefined for a text that is no day. */
const beginOf = (day: string | null, daysLater: 0 | 1): string | undefined =>
  /^\d{4}-\d\d-\d\d$/.test(day ?? "") && !Number.isNaN(Date.parse(day ?? ""))
    ? dayUtc(day ?? "", daysLater)
    : undefined;

/** The filters of the address, as the API names them. */
function filtersOf(fields: URLSearchParams) {
  return {
    kind: oneOf(KINDS, fields.get("kind")),
    textStatus: oneOf(STATUSES, fields.get("text")),
    tagId: fields.get("tag") ?? undefined,
    createdBy: fields.get("by") ?? undefined,
    changedFromUtc: beginOf(fields.get("from"), 0),
    changedBeforeUtc: beginOf(fields.get("until"), 1),
  };
}

/** The order, the filters and the form of the list in the address. */
export const shown = computed(() => {
  const { searchParams } = address.value;
  return {
    sort: oneOf(SORTS, searchParams.get("sort")) ?? "name",
    order: oneOf(["asc", "desc"] as const, searchParams.get("order")) ?? "asc",
    filters: filtersOf(searchParams),
    from: searchParams.get("from") ?? "",
    until: searchParams.get("until") ?? "",
    view: oneOf(["list", "grid"] as const, searchParams.get("view")) ?? "list",
  };
});

export const isFiltered = computed(() => Object.values(shown.value.filters).some((value) => value !== undefined));

/** Changes fields of the address. An empty value removes one. */
export function show(change: Partial<Record<Field, string>>): void {
  const next = new URL(address.peek());
  for (const [field, value] of Object.entries(change)) {
    if (value === "") next.searchParams.delete(field);
    else next.searchParams.set(field, value);
  }
  navigate(next.href, { replace: true });
}

export const clearFilters = (): void => show({ kind: "", text: "", tag: "", by: "", from: "", until: "" });
