import { and, desc, eq, gt, lte } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { DAY } from "../../platform/time";
import { type Content, reportChanges } from "../tables";
import { applyDelta, deltaOf, deltaSchema } from "./delta";

/** How long a revision can be a write's base. */
const BASE_LIFETIME = DAY;
/** Largest change that is kept, bytes of JSON: behind a larger one no revision can be a base. */
const MAX_DELTA_BYTES = 256 * 1024;
/** Changes that lie between a base and now at most. */
const MAX_CHANGES = 5_000;

/** Adds to the change that replaces a draft what leads back from its next revision to the one before. */
export function keepBase(
  { db }: Pick<Context, "db">,
  change: Change,
  report: { id: string; revision: number; contentJson: Content },
  contentJson: Content,
  now: number,
): void {
  const delta = deltaOf(contentJson, report.contentJson);
  const revision = report.revision + 1;
  if (new TextEncoder().encode(JSON.stringify(delta)).byteLength <= MAX_DELTA_BYTES)
    change.add(db.insert(reportChanges).values({ reportId: report.id, revision, delta, createdAt: now }));
  const old = and(eq(reportChanges.reportId, report.id), lte(reportChanges.createdAt, now - BASE_LIFETIME));
  change.add(db.delete(reportChanges).where(old));
}

/** The draft as it stood at an earlier revision; null when that is known no more. */
export async function draftAt(
  { db }: Pick<Context, "db">,
  report: { id: string; revision: number; contentJson: Content },
  revision: number,
): Promise<Content | null> {
  const back = report.revision - revision;
  if (back < 0 || back > MAX_CHANGES) return null;
  const since = and(eq(reportChanges.reportId, report.id), gt(reportChanges.revision, revision));
  const rows = await db
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
