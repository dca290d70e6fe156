import { z } from "@hono/zod-openapi";
import { and, desc, eq, gt, lte } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { BASE_RETENTION, MAX_DELTA_BYTES, MAX_REVISIONS_SINCE_BASE } from "../limits";
import { type Content, reportChanges } from "../tables";

/** Adds the delta from a draft's next revision back to the current one to the change that replaces the draft. */
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

/** The difference between two JSON values: a new value, fields of an object, or a range of a text or a list. */
type Delta =
  | { set: unknown }
  | { fields: Record<string, Delta | null> }
  | { text: readonly [start: number, removed: number, added: string] }
  | { items: readonly [start: number, removed: number, added: readonly unknown[]] };

const deltaSchema: z.ZodType<Delta> = z.lazy(() =>
  z.union([
    z.strictObject({ fields: z.record(z.string(), deltaSchema.nullable()) }),
    z.strictObject({ text: z.tuple([z.int(), z.int(), z.string()]) }),
    z.strictObject({ items: z.tuple([z.int(), z.int(), z.array(z.unknown())]) }),
    z.strictObject({ set: z.unknown() }),
  ]),
);

type JsonObject = { readonly [key: string]: unknown };
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The range in which two sequences differ, between their common start and their common end. */
function middleOf<T>(from: ArrayLike<T>, to: ArrayLike<T>, same: (a: T, b: T) => boolean) {
  const most = Math.min(from.length, to.length);
  let start = 0;
  while (start < most && same(from[start] as T, to[start] as T)) start++;
  let end = 0;
  while (end < most - start && same(from[from.length - 1 - end] as T, to[to.length - 1 - end] as T)) end++;
  return { start, removed: from.length - start - end, end: to.length - end };
}

/** The delta that turns `from` into `to`. */
export function deltaOf(from: unknown, to: unknown): Delta {
  if (typeof from === "string" && typeof to === "string") {
    const { start, removed, end } = middleOf(from, to, Object.is);
    return { text: [start, removed, to.slice(start, end)] };
  }
  if (Array.isArray(from) && Array.isArray(to)) {
    const { start, removed, end } = middleOf<unknown>(from, to, sameJson);
    return { items: [start, removed, to.slice(start, end)] };
  }
  if (!isObject(from) || !isObject(to)) return { set: to };
  const fields: [string, Delta | null][] = [];
  for (const key of Object.keys(from)) if (!Object.hasOwn(to, key)) fields.push([key, null]);
  for (const [key, value] of Object.entries(to))
    if (!Object.hasOwn(from, key)) fields.push([key, { set: value }]);
    else if (!sameJson(from[key], value)) fields.push([key, deltaOf(from[key], value)]);
  return { fields: Object.fromEntries(fields) };
}

/** Applies a delta to the value that it was computed from. */
export function applyDelta(value: unknown, delta: Delta): unknown {
  if ("set" in delta) return delta.set;
  if ("text" in delta && typeof value === "string") {
    const [start, removed, added] = delta.text;
    return value.slice(0, start) + added + value.slice(start + removed);
  }
  if ("items" in delta && Array.isArray(value)) {
    const [start, removed, added] = delta.items;
    return [...value.slice(0, start), ...added, ...value.slice(start + removed)];
  }
  if (!("fields" in delta) || !isObject(value)) throw new Error("a delta of another value");
  const fields = new Map(Object.entries(value));
  for (const [key, inner] of Object.entries(delta.fields))
    if (inner === null) fields.delete(key);
    else fields.set(key, applyDelta(fields.get(key), inner));
  return Object.fromEntries(fields);
}

/** Whether two JSON values are equal, independent of the order of their fields. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && sameJson(Reflect.get(a, key), Reflect.get(b, key)));
}
