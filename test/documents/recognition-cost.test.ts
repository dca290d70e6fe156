import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { openContext } from "../../src/compose";
import { recognizeDocument } from "../../src/documents";
import { documents, unreadPages } from "../../src/documents/tables";
import type { Context } from "../../src/platform/context";
import { newId } from "../../src/platform/ids";
import { mintDocument, mintLocation, mintOrganization } from "../support/factories";
import { metered } from "../support/metered-database";
import { countingRecognizer } from "../support/recognition";
import { testDatabase } from "../support/statements";

/** The number of rows that the database reads for each slice of a scan. */
async function rowsOfSlices(pages: number): Promise<number[]> {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const documentId = await mintDocument(tenant, await mintLocation(tenant), []);
  const db = testDatabase();
  await db.update(documents).set({ textStatus: "recognizing", pageCount: pages }).where(eq(documents.id, documentId));
  await db.insert(unreadPages).values({ documentId, version: 1, firstPage: 1, lastPage: pages, passage: 0 });
  const meter = metered(env.DB);
  const { context } = openContext({ ...env, DB: meter.database }, () => {});
  const own: Context = { ...context, recognizer: countingRecognizer(Infinity) };
  const job = {
    id: newId(),
    kind: "recognize-document" as const,
    tenantId: organization.id,
    payload: { documentId, version: 1 },
    attempts: 1,
    requestedBy: null,
  };
  const rows: number[] = [];
  let [state, progress, isDone]: [unknown, { done: number; total: number }, boolean] = [
    null,
    { done: 0, total: 0 },
    false,
  ];
  while (!isDone) {
    const outcome = await recognizeDocument.run(own, { ...job, state, progress });
    await outcome.change?.commit();
    rows.push(meter.take());
    isDone = outcome.kind === "complete";
    if (outcome.kind === "continue") state = outcome.state;
    progress = outcome.progress ?? progress;
  }
  expect(progress.done).toBe(pages);
  return rows;
}

test("a slice of a scan reads as many rows at its end as at its begin, and the last one reads each page once", async () => {
  const [short, long] = [await rowsOfSlices(48), await rowsOfSlices(192)];
  expect(long.length).toBe(24);
  const [, second] = long;
  expect(new Set(long.slice(1, -1))).toEqual(new Set([second]));
  const last = (rows: readonly number[]) => rows.at(-1) ?? 0;
  // The last slice adds up the pages and looks for text of other pages: a few rows for each page. Rows of other tests are some more.
  expect(last(long) - last(short)).toBeLessThanOrEqual(4 * (192 - 48) + 20);
});
