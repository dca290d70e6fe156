import { type SQL, sql } from "drizzle-orm";
import {
  CAPABILITIES,
  type Capability,
  inScope,
  type LevelName,
  levelOf,
  type ResourcePathColumns,
  scopeOf,
} from "../../src/access";
import { loadFacts } from "../../src/access/permission/load";
import { documents } from "../../src/documents/tables";
import { runBatch } from "../../src/platform/db/database";
import { annotations, clusters, locations } from "../../src/workspace/tables";
import { testDatabase } from "../support/statements";
import type { Comparison } from "./compare-levels";
import { atLeast, levelOn } from "./reference";
import { fillDatabase } from "./rows";
import type { Credential, Thing, World } from "./world";

const KINDS = ["cluster", "location", "document", "content"] as const;
const TABLE = { cluster: clusters, location: locations, document: documents, content: annotations };
const COLUMNS: Record<Thing["kind"], ResourcePathColumns> = {
  cluster: { tenantId: clusters.tenantId, clusterId: clusters.id },
  location: { tenantId: locations.tenantId, clusterId: locations.clusterId, locationId: locations.id },
  document: {
    tenantId: documents.tenantId,
    clusterId: documents.clusterId,
    locationId: documents.locationId,
    documentId: documents.id,
  },
  content: { tenantId: annotations.tenantId, clusterId: annotations.clusterId, locationId: annotations.locationId },
};

interface Question {
  kind: Thing["kind"];
  capability: Capability;
  level: Exclude<LevelName, "None">;
  includeShared: boolean;
}

const QUESTIONS: readonly Question[] = KINDS.flatMap((kind) =>
  CAPABILITIES.flatMap((capability) =>
    (["Read", "Write"] as const).flatMap((level) =>
      [true, false].map((includeShared) => ({ kind, capability, level, includeShared })),
    ),
  ),
);

/** Number of conditions in a statement. Each has at most four parameters, and D1 accepts a hundred. */
const CONDITIONS_A_STATEMENT = 24;

/** Writes a world into D1, queries every set, and compares each with the reference. */
export async function compareSets(world: World): Promise<Comparison> {
  await fillDatabase(world);
  const found: Comparison = { decisions: 0, differences: [] };
  for (const [n, credential] of world.credentials.entries()) {
    const held = await setsOf(credential, world.now);
    for (const [index, question] of QUESTIONS.entries()) {
      const expected = world.things.filter((thing) => belongs(world, credential, question, thing)).map((t) => t.id);
      found.decisions++;
      const decided = held[index] ?? [];
      if (decided.join() !== expected.sort().join())
        found.differences.push(
          `credential ${n}, ${JSON.stringify(question)}: in D1 [${decided.join()}], contract [${expected.join()}]`,
        );
    }
  }
  return found;
}

const belongs = (world: World, credential: Credential, question: Question, thing: Thing): boolean =>
  thing.kind === question.kind &&
  atLeast(levelOn(world, credential, question.capability, thing, question.includeShared), question.level);

/** The ids of each set, sorted, as D1 finds them with the service's condition. */
async function setsOf(credential: Credential, now: number): Promise<string[][]> {
  const db = testDatabase();
  const { organizationIds, ceiling, isProven = true } = credential;
  const limits = { organizationIds, ceiling, isProven };
  const facts = await loadFacts(db, credential.userId, limits, now);
  const asked = QUESTIONS.map(({ kind, capability, level, includeShared }) => {
    const scope = scopeOf(facts, capability, kind, { level: levelOf(level), includeShared });
    return { kind, scope, key: `${kind} ${JSON.stringify(scope)}` };
  });
  // Sets with the same scope have the same condition, which D1 runs once.
  const statements: SQL[] = [];
  const where = new Map<string, { statement: number; column: string }>();
  for (const kind of KINDS) {
    const scopes = [...new Map(asked.filter((a) => a.kind === kind).map((a) => [a.key, a.scope]))];
    for (let at = 0; at < scopes.length; at += CONDITIONS_A_STATEMENT) {
      const columns = scopes.slice(at, at + CONDITIONS_A_STATEMENT).map(([key, scope], n) => {
        where.set(key, { statement: statements.length, column: `q${n}` });
        const condition = inScope(scope, COLUMNS[kind]);
        return sql`${condition} AS ${sql.identifier(`q${n}`)}`;
      });
      statements.push(sql`SELECT id, ${sql.join(columns, sql`, `)} FROM ${TABLE[kind]} ORDER BY id`);
    }
  }
  const results = await runBatch(db, statements);
  return asked.map(({ key }) => {
    const { statement = -1, column = "" } = where.get(key) ?? {};
    const rows = (results[statement]?.results ?? []) as Record<string, unknown>[];
    return rows.filter((row) => row[column] === 1).map((row) => String(row.id));
  });
}
