import { type SQL, sql } from "drizzle-orm";
import { z } from "zod";
import { loadCredential, userRef } from "../../access";
import { documentPublished, documents } from "../../documents/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { isHere } from "../../platform/db/residence";
import { complete, continueLater, countQueries, type Job, type RecurringHandler } from "../../platform/jobs/handlers";
import { MINUTE } from "../../platform/time";
import { clusters, locations } from "../../workspace/tables";
import { kindsOfGrant } from "../guests";
import { GRANTS_WITHOUT_INDEX } from "../limits";
import { ENTRY_TYPES, searchGuestSums, searchGuests, searchGuestTargets } from "../tables";
import { LANGUAGES } from "../text";
import { indexAssets } from "./assets";
import { commitSlice, firstState, type TextState, textStateSchema } from "./documents";
import { ASSET_COST, MAX_COST_PER_SLICE, STEPS, type Step } from "./shared";
import { ASSET_SOURCES, openTenants, scopesOf, sharedHolders } from "./sources";

/** Targets that are walked at the same time, and rows of each that are read at a time. */
const [TARGETS, ROWS_OF_TARGET] = [25, 10];
/** Assets of one batch, each of some 40 KB of text at most. */
const ASSETS = 25;
/** The costs of a read, and of a text beside its passages, in passages: a text takes some 20 statements, and a slice may have 1,000. */
const [READ_COST, TEXT_COST] = [4, 12];
/** Time after which another job may continue with a guest. */
const TAKEN_MS = 5 * MINUTE;

/** A target, and the last row of it that was looked at. */
const openTargetSchema = z.tuple([z.string(), z.string()]);
type OpenTarget = z.infer<typeof openTargetSchema>;

const guestSchema = z.strictObject({
  key: z.int(),
  userId: z.string(),
  organizationId: z.string(),
  revision: z.int(),
  /** The targets that are walked; in `open`, the targets that have more rows in this step; in `text`, a text of which some slices are written. */
  targets: z.array(z.string()),
  step: z.int(),
  open: z.array(openTargetSchema),
  text: z.strictObject({ tenantId: z.string(), state: textStateSchema }).nullable(),
});
type Guest = z.infer<typeof guestSchema>;

const stateSchema = z.strictObject({ guest: guestSchema.nullable(), done: z.int() });

/**
 * Builds the indexes of guests with many grants: posts all that the guest may see under the scope of the guest, and what the guest may
 * not see any more no longer. Then it adds the sums. An index is used from then on, until a grant comes or ends.
 */
export const indexGuests: RecurringHandler<"index-guests"> = {
  hasWork: ({ now }) =>
    sql`EXISTS (SELECT 1 FROM ${searchGuests} WHERE current = 0 AND taken_until <= ${now} AND ${isHere(searchGuests.organizationId)})
      OR EXISTS (SELECT 1 FROM ${searchGuests} WHERE valid_until <= ${now} AND ${isHere(searchGuests.organizationId)})`,
  async run(context, job) {
    const { guest, done } = job.state === null ? { guest: null, done: 0 } : stateSchema.parse(job.state);
    const found = guest === null ? await takeGuest(context, job) : await keepGuest(context, job, guest);
    if (found === null) return guest === null ? complete() : continueLater({ guest: null, done });
    let at: Guest | null = guest ?? (await nextTargets(context, await setTargets(context, found)));
    let count = done;
    const isSpent = countQueries(context);
    for (let left = MAX_COST_PER_SLICE; left > 0 && at !== null && !isSpent(); ) {
      if (at.targets.length === 0) {
        await finishIndex(context, at);
        at = null;
        break;
      }
      const walked: Walked =
        at.text === null ? await walk(context, job, at, count, isSpent) : await writeText(context, at, at.text);
      [at, left, count] = [walked.next, left - walked.cost, count + walked.rows];
    }
    return continueLater({ guest: at, done: count }, { progress: { done: count, total: count } });
  },
};

type Taken = Pick<Guest, "key" | "userId" | "organizationId" | "revision">;

/** Takes a guest whose index is not current, for this job alone; null if there is none. */
async function takeGuest(context: Context, job: Job): Promise<Taken | null> {
  const { workspace, now } = context;
  const [free] = await workspace.all<{ key: number; organizationId: string }>(sql`
    SELECT * FROM (SELECT key AS "key", organization_id AS "organizationId" FROM ${searchGuests}
      WHERE current = 0 AND taken_until <= ${now} AND ${isHere(searchGuests.organizationId)} ORDER BY taken_until LIMIT 1)
    UNION ALL SELECT key, organization_id FROM ${searchGuests}
      WHERE valid_until <= ${now} AND taken_until <= ${now} AND ${isHere(searchGuests.organizationId)} LIMIT 1`);
  if (free === undefined) return null;
  await beginChange(context, free.organizationId)
    .add(
      sql`UPDATE ${searchGuests} SET taken_by = ${job.id}, taken_until = ${now + TAKEN_MS},
          revision = revision + current, current = 0, valid_until = NULL WHERE key = ${free.key} AND taken_until <= ${now}`,
    )
    .commit();
  return readTaken(context, job, free.key);
}

/** Keeps a guest for this job; null if another job has taken it, or its grants changed: then they are read again. */
async function keepGuest(context: Context, job: Job, { key, organizationId, revision }: Guest): Promise<Taken | null> {
  const mine = sql`key = ${key} AND taken_by = ${job.id}`;
  const until = sql`iif(revision = ${revision}, ${context.now + TAKEN_MS}, ${context.now})`;
  await beginChange(context, organizationId)
    .add(sql`UPDATE ${searchGuests} SET taken_until = ${until} WHERE ${mine}`)
    .commit();
  const taken = await readTaken(context, job, key);
  return taken?.revision === revision ? taken : null;
}

async function readTaken({ workspace }: Context, job: Job, key: number): Promise<Taken | null> {
  const [taken] = await workspace.all<Taken>(sql`
    SELECT key AS "key", user_id AS "userId", organization_id AS "organizationId", revision AS "revision"
    FROM ${searchGuests} WHERE key = ${key} AND taken_by = ${job.id}`);
  return taken ?? null;
}

/** Whether nothing changed since the guest was taken. */
const isUnchanged = ({ key, revision }: Taken): SQL =>
  sql`EXISTS (SELECT 1 FROM ${searchGuests} WHERE key = ${key} AND revision = ${revision})`;

/** Makes the targets equal to the present grants. New, changed and ended targets are walked. */
async function setTargets(context: Context, taken: Taken): Promise<Taken> {
  const { key, userId, organizationId } = taken;
  const { workspace, now } = context;
  const person = await loadCredential(context, userRef(userId), now);
  const grants = (person?.facts.grants ?? []).filter((grant) => grant.organizationId === organizationId);
  const wanted = new Map<string, string>();
  for (const grant of grants) {
    const kinds = kindsOfGrant(userId, grant);
    if (kinds !== "") for (const id of grant.targetIds) wanted.set(id, kinds);
  }
  if (wanted.size <= GRANTS_WITHOUT_INDEX) wanted.clear();
  const present = await workspace.all<{ id: string; kinds: string; state: number }>(
    sql`SELECT target_id AS "id", kinds AS "kinds", state AS "state" FROM ${searchGuestTargets} WHERE guest_key = ${key}`,
  );
  const known = new Map(present.map((target) => [target.id, target]));
  const begun = [...wanted].filter(([id, kinds]) => known.get(id)?.kinds !== kinds || known.get(id)?.state === 2);
  const ended = present.filter(({ id, state }) => !wanted.has(id) && state !== 2);
  const rows = JSON.stringify([
    ...begun.map(([id, kinds]) => [id, kinds, 0]),
    ...ended.map(({ id, kinds }) => [id, kinds, 2]),
  ]);
  await beginChange(context, organizationId)
    .add(
      openTenants(sql`SELECT value FROM json_each(${JSON.stringify([organizationId])}) WHERE true`),
      sql`INSERT INTO ${searchGuestTargets} (target_id, guest_key, kinds, state)
        SELECT value ->> 0, ${key}, value ->> 1, value ->> 2 FROM json_each(${rows}) WHERE ${isUnchanged(taken)}
        ON CONFLICT (target_id, guest_key) DO UPDATE SET kinds = excluded.kinds, state = excluded.state`,
    )
    .commit();
  return taken;
}

/** The next targets to walk. */
async function nextTargets({ workspace }: Context, taken: Taken): Promise<Guest> {
  const rows = await workspace.all<{ id: string }>(sql`
    SELECT target_id AS "id" FROM ${searchGuestTargets} WHERE guest_key = ${taken.key} AND state <> 1 ORDER BY target_id LIMIT ${TARGETS}`);
  const targets = rows.map(({ id }) => id);
  return { ...taken, targets, step: 0, open: targets.map((id) => [id, ""]), text: null };
}

/** The result of a part of a walk: the next state, null if the guest has to wait, its cost in passages, and its rows. */
interface Walked {
  next: Guest | null;
  cost: number;
  rows: number;
}

interface Row {
  target: string;
  id: string;
  tenantId: string;
}

/** Indexes the next rows of the open targets whose entries have other scopes. After the last row of a step, the next step begins. */
async function walk(context: Context, job: Job, guest: Guest, done: number, isSpent: () => boolean): Promise<Walked> {
  const step = STEPS[guest.step];
  if (step === undefined) return { next: await endTargets(context, guest), cost: READ_COST * STEPS.length, rows: 0 };
  const found = await outdatedRows(context, step, guest.open, ROWS_OF_TARGET);
  const rows = Map.groupBy(found, ({ target }) => target);
  const run = `${job.id}:${done}`;
  const open = guest.open.flatMap(([target]): OpenTarget[] => {
    const own = rows.get(target) ?? [];
    return own.length < ROWS_OF_TARGET ? [] : [[target, own.at(-1)?.id ?? ""]];
  });
  const next = open.length > 0 ? { ...guest, open } : nextStep(guest);
  if (step !== "text") {
    for (let at = 0; at < found.length; at += ASSETS) {
      const batch = found.slice(at, at + ASSETS);
      const [ids, tenants] = [batch.map(({ id }) => id), batch.map(({ tenantId }) => tenantId)];
      await (await indexAssets(context, tenants, step, ids, `${run}:${at}`)).commit();
    }
    return { next, cost: READ_COST + found.length * ASSET_COST, rows: found.length };
  }
  let cost = READ_COST;
  const looked = new Map(guest.open);
  for (const [i, { target, id, tenantId }] of found.entries()) {
    const begun = await firstState(context, tenantId, id, `${run}:${i}`);
    looked.set(target, id);
    if (begun === null) continue;
    const { next: state, passages } = await commitSlice(context, tenantId, begun);
    cost += passages + TEXT_COST;
    // A long text, or the end of the slice: the rows after it are read again.
    if (state !== null || ((cost >= MAX_COST_PER_SLICE || isSpent()) && i < found.length - 1))
      return { next: { ...guest, open: [...looked], text: state && { tenantId, state } }, cost, rows: i + 1 };
  }
  return { next, cost, rows: found.length };
}

const nextStep = (guest: Guest): Guest => ({
  ...guest,
  step: guest.step + 1,
  open: guest.targets.map((id) => [id, ""]),
  text: null,
});

/** Writes the next slice of a long text. */
async function writeText(
  context: Context,
  guest: Guest,
  { tenantId, state }: { tenantId: string; state: TextState },
): Promise<Walked> {
  const { next, passages } = await commitSlice(context, tenantId, state);
  return { next: { ...guest, text: next && { tenantId, state: next } }, cost: passages + READ_COST, rows: 0 };
}

/**
 * Ends the walk of some targets, and returns the next ones. Null while another job still writes one of their rows: the index is not
 * used before, and the guest has to wait.
 */
async function endTargets(context: Context, guest: Guest): Promise<Guest | null> {
  const { key, organizationId, targets } = guest;
  const all = targets.map((id): OpenTarget => [id, ""]);
  for (const step of STEPS) if ((await outdatedRows(context, step, all, 1)).length > 0) return null;
  const walked = sql`guest_key = ${key} AND target_id IN (SELECT value FROM json_each(${JSON.stringify(targets)})) AND ${isUnchanged(guest)}`;
  await beginChange(context, organizationId)
    .add(
      sql`DELETE FROM ${searchGuestTargets} WHERE state = 2 AND ${walked}`,
      sql`UPDATE ${searchGuestTargets} SET state = 1 WHERE state = 0 AND ${walked}`,
    )
    .commit();
  return nextTargets(context, guest);
}

/**
 * The next rows of each open target whose entries have other scopes than they should, up to `limit` of each. The cost of a walk is linear in the rows of the
 * targets: each row is read once.
 */
function outdatedRows({ workspace }: Context, step: Step, open: readonly OpenTarget[], limit: number): Promise<Row[]> {
  const kind = step === "text" ? "document" : step;
  const { table, notDeleted } = ASSET_SOURCES[kind];
  const version = step === "text" ? sql`a.text_version` : sql`0`;
  const held = sharedHolders(kind).map(
    (column) => sql`SELECT id FROM (
      SELECT a.id AS id FROM ${table} a CROSS JOIN search_entries e ON e.resource_id = a.id AND e.type = ${step} AND e.version = ${version}
      WHERE a.${sql.raw(column)} = t.value ->> 0 AND a.id > t.value ->> 1 AND ${notDeleted} AND e.scopes <> ${scopesOf(kind, "a")}
      ORDER BY a.id LIMIT ${limit})`,
  );
  return workspace.all<Row>(sql`
    SELECT t.value ->> 0 AS "target", o.id AS "id", o.tenant_id AS "tenantId" FROM json_each(${JSON.stringify(open)}) t
    CROSS JOIN ${table} o ON o.id IN (${sql.join(held, sql` UNION ALL `)}) ORDER BY t.key, o.id`);
}

const LANGUAGE_COUNTS = LANGUAGES.map((language) => `${language}_count`);
const SUMS = ["row_count", "passage_count", "title_length", "body_length", ...LANGUAGE_COUNTS];
const columnList = sql.raw(SUMS.join(", "));
const letterOfGroup = sql`iif(g.type = 'text', 'd', substr(g.type, 1, 1))`;

/** Adds the sums of all that the guest may see, and makes the index the current one. Without targets, the index is removed. */
async function finishIndex(context: Context, guest: Guest): Promise<void> {
  const { key, userId, organizationId, revision } = guest;
  const { now } = context;
  const targets = sql`(SELECT target_id, kinds FROM ${searchGuestTargets} WHERE guest_key = ${key})`;
  const isPresent = sql`l.deleted_at IS NULL AND c.deleted_at IS NULL`;
  const ofEntry = LANGUAGES.map((_, bit) => sql`e.languages >> ${sql.raw(String(bit))} & 1`);
  const change = beginChange(context, organizationId).add(
    sql`DELETE FROM ${searchGuestSums} WHERE guest_key = ${key}`,
    sql`INSERT INTO ${searchGuestSums} (guest_key, type, tenant_key, ${columnList})
      WITH places AS MATERIALIZED (
        SELECT l.id AS place, kinds FROM ${targets} t CROSS JOIN ${locations} l ON l.id = t.target_id CROSS JOIN ${clusters} c ON c.id = l.cluster_id WHERE ${isPresent}
        UNION ALL
        SELECT l.id, kinds FROM ${targets} t CROSS JOIN ${clusters} c ON c.id = t.target_id CROSS JOIN ${locations} l ON l.cluster_id = c.id WHERE ${isPresent}
        UNION ALL
        SELECT c.id, kinds FROM ${targets} t CROSS JOIN ${clusters} c ON c.id = t.target_id WHERE c.deleted_at IS NULL),
      shown AS MATERIALIZED (
        SELECT DISTINCT g.key AS key FROM places CROSS JOIN search_groups g ON g.place_id = places.place WHERE instr(kinds, ${letterOfGroup}) > 0),
      parts AS MATERIALIZED (
        SELECT g.type AS type, ${columnList} FROM shown CROSS JOIN search_groups g ON g.key = shown.key
        UNION ALL
        SELECT e.type, e.row_count, e.passage_count, e.title_length * e.row_count, e.body_length, ${sql.join(ofEntry, sql`, `)}
        FROM ${targets} t CROSS JOIN ${documents} d ON d.id = t.target_id CROSS JOIN ${locations} l ON l.id = d.location_id CROSS JOIN ${clusters} c ON c.id = l.cluster_id
        CROSS JOIN search_entries e ON e.resource_id = d.id
        WHERE ${documentPublished("d")} AND ${isPresent} AND e.live = 1 AND e.type IN ('document', 'text') AND e.group_key NOT IN (SELECT key FROM shown))
      SELECT ${key}, w.value, s.key, ${sql.raw(SUMS.map((column) => `coalesce(sum(${column}), 0)`).join(", "))}
      FROM json_each(${JSON.stringify(ENTRY_TYPES)}) w CROSS JOIN search_scopes s ON s.scope_id = ${organizationId} LEFT JOIN parts p ON p.type = w.value
      GROUP BY w.value, s.key`,
    sql`DELETE FROM ${searchGuests} WHERE key = ${key} AND revision = ${revision}
      AND NOT EXISTS (SELECT 1 FROM ${searchGuestTargets} WHERE guest_key = ${key})`,
    sql`UPDATE ${searchGuests} SET current = (revision = ${revision}), taken_until = 0, valid_until = (
        SELECT min(expires_at) FROM grants WHERE user_id = ${userId} AND organization_id = ${organizationId} AND expires_at > ${now})
      WHERE key = ${key}`,
  );
  await change.commit();
}
