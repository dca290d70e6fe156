import { z } from "@hono/zod-openapi";
import { and, desc, eq, gt, lte } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { BASE_RETENTION, MAX_DELTA_BYTES, MAX_REVISIONS_SINCE_BASE } from "../limits";
import { type Content, reportChanges } from "../tables";
import { Equality, isObject } from "./equality";
import { type Budget, hunksOf, newBudget } from "./sequences";
import { rangesOfText } from "./text";

/**
 * Adds a delta to the change that replaces the draft. The delta leads from the draft's next revision back to its
 * current revision.
 */
export function keepBase(
  { workspace }: Pick<Context, "workspace">,
  change: Change,
  report: { id: string; revision: number; contentJson: Content },
  contentJson: Content,
  now: number,
): void {
  const delta = deltaOf(contentJson, report.contentJson);
  const revision = report.revision + 1;
  if (new TextEncoder().encode(JSON.stringify(delta)).byteLength <= MAX_DELTA_BYTES)
    change.add(workspace.insert(reportChanges).values({ reportId: report.id, revision, delta, createdAt: now }));
  const old = and(eq(reportChanges.reportId, report.id), lte(reportChanges.createdAt, now - BASE_RETENTION));
  change.add(workspace.delete(reportChanges).where(old));
}

/** The draft at an earlier revision; null when its deltas are no longer stored. */
export async function draftAt(
  { workspace }: Pick<Context, "workspace">,
  report: { id: string; revision: number; contentJson: Content },
  revision: number,
): Promise<Content | null> {
  const back = report.revision - revision;
  if (back < 0 || back > MAX_REVISIONS_SINCE_BASE) return null;
  const since = and(eq(reportChanges.reportId, report.id), gt(reportChanges.revision, revision));
  const rows = await workspace
    .select({ revision: reportChanges.revision, delta: reportChanges.delta })
    .from(reportChanges)
    .where(and(since, lte(reportChanges.revision, report.revision)))
    .orderBy(desc(reportChanges.revision));
  if (rows.length !== back) return null;
  return rows.reduce<unknown>(
    (at, { delta }) => applyDelta(at, deltaSchema.parse(delta)),
    report.contentJson,
  ) as Content;
}

/** A replaced range: its start, the length of what was removed, and what was added. */
type Range<T> = readonly [start: number, removed: number, added: T];

/** The difference between two JSON values: a new value, fields of an object, or ranges or items of a text or a list. */
type Delta =
  | { set: unknown }
  | { fields: Record<string, Delta | null> }
  | { text: Range<string> }
  | { texts: readonly Range<string>[] }
  | { items: Range<readonly unknown[]> }
  | { lists: readonly Range<readonly unknown[]>[] }
  | { inside: readonly (readonly [index: number, Delta])[] };

const textRange = z.tuple([z.int(), z.int(), z.string()]);
const listRange = z.tuple([z.int(), z.int(), z.array(z.unknown())]);
const deltaSchema: z.ZodType<Delta> = z.lazy(() =>
  z.union([
    z.strictObject({ fields: z.record(z.string(), deltaSchema.nullable()) }),
    z.strictObject({ text: textRange }),
    z.strictObject({ texts: z.array(textRange) }),
    z.strictObject({ items: listRange }),
    z.strictObject({ lists: z.array(listRange) }),
    z.strictObject({ inside: z.array(z.tuple([z.int(), deltaSchema])) }),
    z.strictObject({ set: z.unknown() }),
  ]),
);

/** The delta that turns `from` into `to`. Its size follows what changed, not the distance between the changes. */
export function deltaOf(from: unknown, to: unknown): Delta {
  return difference(from, to, new Equality(), newBudget());
}

function difference(from: unknown, to: unknown, equality: Equality, budget: Budget): Delta {
  if (typeof from === "string" && typeof to === "string") {
    const texts = rangesOfText(from, to, budget);
    return texts.length === 1 ? { text: texts[0] as Range<string> } : { texts };
  }
  if (Array.isArray(from) && Array.isArray(to)) return listDifference(from, to, equality, budget);
  if (!isObject(from) || !isObject(to)) return { set: to };
  const fields: [string, Delta | null][] = [];
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) fields.push([key, null]);
  for (const [key, value] of Object.entries(to))
    if (!Object.hasOwn(from, key)) fields.push([key, { set: value }]);
    else if (!equality.same(from[key], value)) fields.push([key, difference(from[key], value, equality, budget)]);
  return { fields: Object.fromEntries(fields) };
}

function listDifference(from: readonly unknown[], to: readonly unknown[], equality: Equality, budget: Budget): Delta {
  const [before, after] = [from, to].map((list) => list.map((item) => equality.of(item))) as [number[], number[]];
  const hunks = hunksOf(before, after, budget);
  if (hunks.every(({ start, end, from, to }) => start === from && end === to))
    return {
      inside: [...from.keys()]
        .filter((n) => before[n] !== after[n])
        .map((n) => [n, difference(from[n], to[n], equality, budget)] as const),
    };
  const lists = hunks.map((hunk) => [hunk.start, hunk.end - hunk.start, to.slice(hunk.from, hunk.to)] as const);
  return lists.length === 1 ? { items: lists[0] as Range<readonly unknown[]> } : { lists };
}

/** Applies a delta to the value that it was computed from. */
export function applyDelta(value: unknown, delta: Delta): unknown {
  if ("set" in delta) return delta.set;
  if ("text" in delta) return applyDelta(value, { texts: [delta.text] });
  if ("items" in delta) return applyDelta(value, { lists: [delta.items] });
  if ("texts" in delta && typeof value === "string") return replaced(value, delta.texts).join("");
  if ("lists" in delta && Array.isArray(value)) return replaced<readonly unknown[]>(value, delta.lists).flat(1);
  if ("inside" in delta && Array.isArray(value)) {
    const items: unknown[] = [...value];
    for (const [n, inner] of delta.inside) items[n] = applyDelta(items[n], inner);
    return items;
  }
  if (!("fields" in delta) || !isObject(value)) throw new Error("a delta of another value");
  const fields = new Map(Object.entries(value));
  for (const [key, inner] of Object.entries(delta.fields))
    if (inner === null) fields.delete(key);
    else fields.set(key, applyDelta(fields.get(key), inner));
  return Object.fromEntries(fields);
}

/** The parts of a text or a list after its ranges, which are in order, were replaced. */
function replaced<T extends { slice(from: number, to?: number): T }>(value: T, ranges: readonly Range<T>[]): T[] {
  const parts: T[] = [];
  let at = 0;
  for (const [start, removed, added] of ranges) {
    parts.push(value.slice(at, start), added);
    at = start + removed;
  }
  parts.push(value.slice(at));
  return parts;
}
