import { afterAll, expect } from "vitest";
import { tablesOfService } from "./query-plans";
import { crossings } from "./sides";
import { recordedBatches, recordedStatements } from "./statements";

const ADVICE =
  "these read or write both the directory and a workspace database, which can be two databases: read each side by itself " +
  "(readBoth), copy what is needed (people), or continue on the other side with a job";

/** Statements and batches that an earlier file of the same runtime has judged. */
const runtime = globalThis as { judgedSides?: Set<string> };
const judged = runtime.judgedSides ?? new Set<string>();
runtime.judgedSides = judged;

// It runs in every file of the suite, so no statement has to be listed.
afterAll(async () => {
  const statements = recordedStatements().filter((statement) => !judged.has(statement));
  const batches = recordedBatches().filter((batch) => !judged.has(JSON.stringify(batch)));
  expect(await crossings(statements, batches, tablesOfService), ADVICE).toEqual([]);
  for (const statement of statements) judged.add(statement);
  for (const batch of batches) judged.add(JSON.stringify(batch));
});
