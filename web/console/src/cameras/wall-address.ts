import { WALL } from "#texts/cameras.ts";
import { byName } from "#texts/language.ts";
import { address, navigate } from "../platform/router.ts";
import { byTrouble, isTrouble, type ShownCamera } from "./state.ts";

/* What the wall shows, and how, as its address says it. */

export const TROUBLE = "trouble";
export type Sort = keyof typeof WALL.sorts;
const isSort = (text: string): text is Sort => text in WALL.sorts;

/** Numbers of columns, and seconds until the next page, that people can choose. */
export const COLUMNS = [2, 3, 4, 5, 6, 8, 10] as const;
export const TURNS = [5, 10, 20, 30, 60, 120] as const;

const SORTS: Record<Sort, (a: ShownCamera, b: ShownCamera) => number> = {
  trouble: byTrouble,
  place: (a, b) => byName(a.camera.locationName, b.camera.locationName) || byName(a.camera.name, b.camera.name),
  name: (a, b) => byName(a.camera.name, b.camera.name),
};

export interface WallFields {
  show: string;
  sort: Sort;
  isGrouped: boolean;
  /** Null: as many as fit. */
  columns: number | null;
  isRoom: boolean;
  /** The page of the control room, from 1. */
  page: number;
  /** Seconds until the next page; null: never. */
  turn: number | null;
}

/** The fields of the current address. Values that the wall does not know count as absent. */
export function wallFields(): WallFields {
  const { searchParams } = address.value;
  const oneOf = (name: string, allowed: readonly number[]) =>
    allowed.find((one) => String(one) === searchParams.get(name)) ?? null;
  const sort = searchParams.get("sort") ?? TROUBLE;
  const page = Number(searchParams.get("page") ?? 1);
  return {
    show: searchParams.get("show") ?? "",
    sort: isSort(sort) ? sort : TROUBLE,
    isGrouped: searchParams.get("group") === "place",
    columns: oneOf("columns", COLUMNS),
    isRoom: searchParams.get("room") === "on",
    page: Number.isInteger(page) && page > 0 ? page : 1,
    turn: oneOf("turn", TURNS),
  };
}

/** Changes fields of the wall's address. An empty value leaves the field out. */
export function choose(
  fields: Partial<Record<"show" | "sort" | "group" | "columns" | "room" | "page" | "turn", string>>,
): void {
  const next = new URL(address.peek());
  // Another choice of cameras begins at its first page.
  if (fields.page === undefined && fields.turn === undefined) next.searchParams.delete("page");
  for (const [name, value] of Object.entries(fields))
    if (value === "") next.searchParams.delete(name);
    else next.searchParams.set(name, value);
  navigate(next.href, { replace: true });
}

/** The cameras that the filter leaves, in the chosen order. */
export const shownBy = ({ show, sort }: WallFields, all: readonly ShownCamera[]): ShownCamera[] =>
  all
    .filter(({ camera, state }) => show === "" || (show === TROUBLE ? isTrouble(state) : camera.locationId === show))
    .sort(SORTS[sort]);

/** Some cameras under the name of their location; without groups, all under none. */
export interface Group {
  locationId: string | null;
  name: string | null;
  cameras: ShownCamera[];
}

/** The cameras by location, in the order of the names; without groups, all of them. */
export function groupsOf(shown: ShownCamera[], isGrouped: boolean): Group[] {
  if (!isGrouped) return [{ locationId: null, name: null, cameras: shown }];
  return [...Map.groupBy(shown, ({ camera }) => camera.locationId)]
    .map(([locationId, cameras]) => ({ locationId, name: cameras[0]?.camera.locationName ?? "", cameras }))
    .sort((a, b) => byName(a.name, b.name));
}
