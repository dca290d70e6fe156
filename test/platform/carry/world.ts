import { env } from "cloudflare:workers";
import { getTableName, is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { OF_SERVICE, OF_WORKSPACE } from "../../../src/carried";
import type { Carried } from "../../../src/platform/db/carry/declare";
import type { Asked } from "../../../src/platform/db/carry/statements";
import { newId, newWorkspaceId } from "../../../src/platform/ids";
import fc from "../../support/properties";

/*
 * Rows of every table for some workspaces, straight from the schema: each column gets any value of its type that its table
 * allows. So a column that is carried in another form, or not at all, is found.
 */

const modules = import.meta.glob<Record<string, unknown>>("../../../src/**/tables.ts", { eager: true });

/** Every declared table of the service, by its name. */
export const TABLES: ReadonlyMap<string, SQLiteTable> = new Map(
  Object.values(modules)
    .flatMap((module) => Object.values(module))
    .filter((value): value is SQLiteTable => is(value, SQLiteTable))
    .map((table) => [getTableName(table), table]),
);

type Value = string | number | null;
type Row = Record<string, Value>;

const ALL = [...OF_WORKSPACE, ...OF_SERVICE];

/** Tables whose rows appear together with rows of other tables. Their counts are changed afterwards. */
const KEPT_BY_TRIGGERS = ["location_storage", "storage_usage", "camera_health", "notification_clock"];

/** Columns that an index allows to be null in one row only. */
const NEVER_NULL = ["ended_at", "revoked_at", "organization_id"];

const text = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 12 }),
  fc.constantFrom(
    "",
    "\0",
    "a\0b",
    "'",
    '"',
    "\\",
    "\\u0000",
    "a\nb\r\n",
    "\u{1f6a2}",
    "null",
    "[1]",
    "﻿x",
    "x".repeat(5_000),
  ),
);
const integer = fc.oneof(fc.integer(), fc.integer({ min: 0, max: 2 ** 47 }), fc.constantFrom(0, 1, -1));
const json = fc.json({ maxDepth: 2 });

/** What the columns of a table get in a workspace; other columns get any value of their type. */
type Fixed = (pick: (values: readonly string[]) => string) => Row;

const FRAME_STATES: readonly Row[] = [
  { section: 0, status: "completed", is_abandoned: 0, deleted_at: null },
  { section: 1, status: "pending", is_abandoned: 0 },
  { section: 2, status: "rejected", is_abandoned: 0 },
  { section: 2, status: "cancelled", is_abandoned: 1 },
];

/** The states of jobs that the service writes: a running job was sent, and only an ended job has its end. */
const JOB_STATES: readonly Row[] = [
  { status: "queued", sent_at: null, finished_at: null },
  { status: "queued", sent_at: 1, finished_at: null },
  { status: "running", sent_at: 2, finished_at: null },
  { status: "succeeded", sent_at: null, finished_at: 3 },
  { status: "failed", sent_at: null, finished_at: 4 },
];

/** The states of changes of folders: a move has a new path, and the others the deletion time. */
const FOLDER_CHANGE_STATES: readonly Row[] = [
  { type: "move", new_path: "moved", status: "done", deleted_at: null, finished_at: 3 },
  { type: "delete", new_path: null, status: "stopped", deleted_at: 2, finished_at: 3 },
  { type: "restore", new_path: null, status: "done", deleted_at: 2, finished_at: 3 },
];

/** The states of deliveries that the service writes: only one that waits is claimed, and only an ended one has its end. */
const DELIVERY_STATES: readonly Row[] = [
  { status: "pending", finished_at: null },
  { status: "succeeded", claimed_by: null, finished_at: 1 },
  { status: "failed", claimed_by: null, finished_at: 2 },
  { status: "withheld", claimed_by: null, finished_at: 3 },
];

export interface Plan {
  rows: number;
  seed: number;
}

/** Plans of worlds. The values of the rows follow from the seed. */
export const plan: fc.Arbitrary<Plan> = fc.record({ rows: fc.integer({ min: 1, max: 4 }), seed: fc.integer() });

/** Fills a database with one organization and one personal workspace, of the first person. @param areAlive whether
 *  none of them is deleted. @returns the ids of the people and the organization */
export async function fill({ rows, seed }: Plan, database: D1Database = env.DB, areAlive = false): Promise<string[]> {
  const statements: D1PreparedStatement[] = [];
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state ^ (state >>> 15)) >>> 1;
  };
  const one = <T>(arbitrary: fc.Arbitrary<T>): T => fc.sample(arbitrary, { numRuns: 1, seed: next() })[0] as T;
  const pick = (values: readonly string[]) => values[next() % values.length] ?? "";
  const bytes = (length: number) => Array.from({ length }, () => (next() % 256).toString(16).padStart(2, "0")).join("");

  const insert = (name: string, fixed: Row) => {
    const table = TABLES.get(name);
    if (table === undefined) throw new Error(`${name} is no table`);
    const { columns: declared, primaryKeys } = getTableConfig(table);
    const columns = declared.filter(({ generated }) => generated === undefined);
    const values: Value[] = [];
    const isKey = (column: (typeof columns)[number]) =>
      column.primary || primaryKeys.some((key) => key.columns.some(({ name: part }) => part === column.name));
    const places = columns.map((column) => {
      const given = fixed[column.name];
      const isNull = !column.notNull && !column.primary && !NEVER_NULL.includes(column.name) && next() % 4 === 0;
      const type = column.getSQLType();
      if (given === undefined && isNull) values.push(null);
      else if (given !== undefined) values.push(given);
      else if (column.enumValues !== undefined && column.enumValues.length > 0) values.push(pick(column.enumValues));
      else if (column.dataType === "boolean") values.push(next() % 2);
      else if (type === "integer") values.push(isKey(column) ? next() : one(integer));
      else if (type === "real") values.push(one(fc.double({ noNaN: true, noDefaultInfinity: true })));
      else if (type === "blob") values.push(bytes(16));
      else if (column.dataType === "json") values.push(one(json));
      else
        values.push(isKey(column) || /(^|_)(id|key|hash|digest)$/.test(column.name) ? newId() + one(text) : one(text));
      return type === "blob" ? "unhex(?)" : "?";
    });
    const names = columns.map((column) => `"${column.name}"`).join(", ");
    statements.push(database.prepare(`INSERT INTO ${name} (${names}) VALUES (${places.join(", ")})`).bind(...values));
    return fixed;
  };
  const many = (name: string, fixed: Fixed) => Array.from({ length: rows }, () => insert(name, fixed(pick)));
  const ids = (name: string, fixed: Fixed): string[] =>
    many(name, (p) => ({ id: newId(), ...fixed(p) })).map(({ id }) => String(id));

  const living: Row = areAlive ? { deleted_at: null } : {};
  const people = Array.from({ length: rows + 1 }, newWorkspaceId);
  for (const id of people) {
    // Only people who are not deleted are members, and so have notifications of the organization.
    insert("people", { id, ...(id === people[0] ? { deleted_at: null } : living) });
    insert("users", { id, email: `${id}@people.test`, external_issuer: null, external_subject: null });
    insert("residents", { workspace_id: id, state: "here", closed_until: null, move: null, mover: null });
  }
  const person = () => pick(people);
  const sessions = ids("sessions", () => ({ user_id: person() }));
  many("refresh_tokens", () => ({ session_id: pick(sessions) }));
  for (const name of ["passkeys", "recovery_codes", "access_tokens", "ended_registrations"])
    many(name, () => ({ user_id: person() }));
  many("audit_entries", () => ({ organization_id: null, actor_user_id: null }));
  many("audit_entries", () => ({ organization_id: null, actor_user_id: person() }));
  const job = (tenant: string | null) =>
    ids("jobs", () => ({ tenant_id: tenant, ...JOB_STATES[next() % JOB_STATES.length] }));
  job(null);

  const organization = newWorkspaceId();
  const owner = people[0] ?? "";
  for (const tenant of [organization, owner]) {
    const isPersonal = tenant === owner;
    const of: Row = { tenant_id: tenant, organization_id: isPersonal ? null : tenant };
    insert("workspaces", { id: tenant, database: "first" });
    if (!isPersonal) {
      insert("organizations", { id: tenant, ...living });
      insert("residents", { workspace_id: tenant, state: "here", closed_until: null, move: null, mover: null });
      for (const user_id of people) insert("memberships", { ...of, user_id });
      many("invitations", () => of);
      many("audit_entries", () => of);
      insert("organization_branding", of);
      many("report_partials", () => of);
      insert("branding_assets", of);
    }
    const clusters = ids("clusters", () => of);
    const locations = ids("locations", () => ({ ...of, cluster_id: pick(clusters) }));
    const place = () => ({ ...of, cluster_id: pick(clusters), location_id: pick(locations) });
    for (const name of ["annotations", "trash", "trash_entries", "stored_objects"]) ids(name, place);
    ids("uploads", () => ({ ...place(), part_bytes: next() % 2 === 0 ? null : 1 + next() }));
    many("job_usage", () => of);
    const documents = ids("documents", place);
    const document = () => ({ document_id: pick(documents) });
    for (const name of ["document_versions", "text_sections", "unread_pages", "recognized_pages", "report_images"])
      many(name, document);
    const atLocation = () => ({ tenant_id: tenant, location_id: pick(locations), path: `${newId()}/made` });
    ids("folders", () => ({ ...atLocation(), deleted_at: next() % 2 === 0 ? null : 1 + next() }));
    ids("folder_changes", () => ({ ...atLocation(), ...FOLDER_CHANGE_STATES[next() % FOLDER_CHANGE_STATES.length] }));
    const running: Row = { type: "move", new_path: "moved", status: "running", deleted_at: null, finished_at: null };
    insert("folder_changes", { id: newId(), ...atLocation(), ...running });
    const user = () => ({ ...of, user_id: person(), target_id: newId() });
    ids("grants", user);
    const templates = ids("report_templates", () => of);
    many("report_template_revisions", () => ({ template_id: pick(templates), revision: 1 + next() }));
    const reports = ids("reports", () => ({ ...place(), template_id: pick(templates) }));
    ids("report_jobs", () => ({ ...of, report_id: pick(reports) }));
    many("report_changes", () => ({ report_id: pick(reports) }));
    const events = many("notification_events", () => ({ ...of, no: next() }));
    if (isPersonal)
      for (const [n, { no = 0 }] of events.entries())
        insert("notifications", { user_id: tenant, seq: n, event_no: no });
    else many("notifications", () => ({ user_id: owner, seq: next(), event_no: events[0]?.no ?? 0 }));
    const searches = ids("search_impressions", () => ({ user_id: person() }));
    ids("search_interactions", () => ({ search_id: pick(searches) }));
    if (!isPersonal) for (const search_id of searches) insert("search_impression_organizations", { ...of, search_id });
    job(tenant);
    if (isPersonal) continue;
    const cameras = ids("cameras", () => ({ ...place(), retention_days: 30 }));
    const places = cameras.map((camera_id) => {
      const found = { camera_id, location_id: pick(locations), tenant_id: tenant, place: next() };
      insert("camera_places", found);
      return found;
    });
    const camera = () => ({ ...of, camera_id: pick(cameras), location_id: newId() });
    for (const { camera_id, location_id } of places) insert("camera_assignments", { camera_id, location_id });
    for (const name of ["camera_enrollments", "camera_credentials", "camera_conditions", "camera_cleanups"])
      many(name, camera);
    ids("camera_shares", place);
    many("wanted_events", () => ({ tenant_id: tenant }));
    const webhooks = ids("webhooks", () => of);
    for (const state of DELIVERY_STATES)
      many("webhook_deliveries", () => ({ ...of, webhook_id: pick(webhooks), ...state }));
    for (const state of FRAME_STATES) for (const { place } of places) insert("camera_frames", { place, ...state });
  }
  for (const user_id of people) insert("notification_preferences", { user_id });
  await database.batch(statements);
  // The counts of triggers become any numbers.
  for (const name of KEPT_BY_TRIGGERS) {
    const changed = getTableConfig(TABLES.get(name) as SQLiteTable).columns.filter(
      (column) => column.getSQLType() === "integer" && !column.primary && column.dataType === "number",
    );
    const set = changed.map((column) => `"${column.name}" = ${Math.abs(one(fc.integer()))}`).join(", ");
    await database.prepare(`UPDATE ${name} SET ${set}`).run();
  }
  return [...people, organization];
}

/** Deletes every row. Rows of triggers go last. */
export async function empty(): Promise<void> {
  const names = [...new Set([...ALL].reverse().map(({ name }) => name))];
  for (const name of [...names, "residents", ...names, "search_scopes"])
    await env.DB.prepare(`DELETE FROM ${name}`).run();
}

/** Deletes every row that no migration wrote: other files of tests use the same database. */
export async function emptyAsMigrated(): Promise<void> {
  await empty();
  await env.DB.prepare("INSERT INTO notification_clock (one, seq) VALUES (1, 0)").run();
}

/** The columns of a table that differ after it was carried: numbers of a database, and the sending of open jobs. */
const DIFFERENT: Readonly<Record<string, readonly string[]>> = {
  text_sections: ["id"],
  jobs: ["sent_at", "lease_until"],
};

/** Every row of the carried tables, as `table: JSON`, in one order. */
export async function dumpAll(): Promise<string[]> {
  const lines: string[] = [];
  for (const name of new Set(ALL.map((table) => table.name))) {
    const { results } = await env.DB.prepare(`SELECT * FROM ${name}`).all<Row>();
    for (const row of results) {
      for (const column of DIFFERENT[name] ?? []) delete row[column];
      lines.push(`${name}: ${JSON.stringify(row)}`);
    }
  }
  return lines.sort();
}

/** The same tables with slices of few rows, so that small worlds have many slices. */
export const inSmallSlices = (tables: readonly Carried[]): Carried[] => tables.map((table) => ({ ...table, slice: 2 }));

export const database = {
  batch: async (statements: readonly Asked[]) => {
    const prepared = statements.map(({ sql, params }) => env.DB.prepare(sql).bind(...params));
    return (await env.DB.batch(prepared)).map(({ results }) => results);
  },
};
