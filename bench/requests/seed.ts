import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { newId, newWorkspaceId, numberOf } from "../../src/platform/ids.ts";

const PASSWORD = "correct horse battery";
const LOCATIONS = 40;
const DOCUMENTS = 60;
const ORGANIZATIONS = 50;
const GRANTS = 2_000;

export type Call = (method: string, path: string, token?: string, body?: unknown) => Promise<Record<string, unknown>>;

/** Calls the service. An error ends the benchmark. */
export const caller =
  (url: string): Call =>
  async (method, path, token, body) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
  };

export interface Demo {
  email: string;
  password: string;
  token: string;
  userId: string;
  /** One organization for each database, each with locations and documents. */
  organizationIds: string[];
}

const sentence = (n: number): string =>
  `Inspection report ${n}: the bearing of the north abutment was replaced, the joint cleaned, and the drainage tested. `.repeat(
    20,
  );

/** Uploads a unique text. Returns after the answer of `upload-complete`. */
export async function uploadText(
  call: Call,
  token: string,
  locationId: string,
  n: number,
  text = sentence(n),
): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  const checksumSha256 = createHash("sha256").update(bytes).digest("hex");
  const announced = { fileName: `report-${n}.txt`, contentType: "text/plain", sizeBytes: bytes.length, checksumSha256 };
  const base = `/v1/spatial/locations/${locationId}/documents`;
  const started = await call("POST", `${base}/upload-start`, token, announced);
  const headers = started.requiredHeaders as Record<string, string>;
  await fetch(String(started.uploadUrl), { method: "PUT", headers, body: bytes });
  await call("POST", `${base}/upload-complete`, token, { uploadId: started.uploadId });
}

/**
 * Creates data in the size of the demo over the API: organizations with 40 locations each, and 60 searchable documents among them.
 * @param count number of organizations: a service with that many databases places one of them in each
 */
export async function seedDemo(call: Call, count: number): Promise<Demo> {
  const email = `demo-${Date.now()}@people.test`;
  const registered = await call("POST", "/v1/auth/register", undefined, {
    email,
    password: PASSWORD,
    displayName: "Ada",
  });
  const session = String(registered.accessToken);
  const token = String((await call("POST", "/v1/auth/tokens", session, { name: "bench" })).token);
  const make = async (path: string, body: object) => String((await call("POST", path, token, body)).id);
  const organizationIds: string[] = [];
  const locationIds: string[] = [];
  for (let place = 0; place < count; place++) {
    const organizationId = await make("/v1/orgs", { name: `Bridges ${place}` });
    organizationIds.push(organizationId);
    const clusterId = await make("/v1/spatial/clusters", { organizationId, name: "North" });
    for (let n = 0; n < LOCATIONS; n++)
      locationIds.push(await make("/v1/spatial/locations", { clusterId, name: `Bridge ${n}` }));
  }
  // Each organization gets its part of the documents.
  for (let n = 0; n < DOCUMENTS; n++)
    await uploadText(call, token, locationIds[(n % count) * LOCATIONS + (n % LOCATIONS)] ?? "", n);
  const deadline = Date.now() + 120_000;
  for (;;) {
    const { results } = await call("POST", "/v1/search", token, { term: '"north abutment"', limit: 100 });
    if (Array.isArray(results) && results.length >= DOCUMENTS) break;
    if (Date.now() > deadline) throw new Error("the documents did not become searchable");
    await new Promise((next) => setTimeout(next, 500));
  }
  const { id } = registered.user as { id: string };
  return { email, password: PASSWORD, token, userId: id, organizationIds };
}

/** Pause between two searches for a new document, milliseconds. A measurement is too long by half of it. */
const LOOK_EVERY_MS = 25;

/**
 * Times from `upload-complete` until a search finds a document, for several documents one after another, milliseconds.
 */
export async function timesToSearchable(
  call: Call,
  { token }: Demo,
  locationId: string,
  count: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const word = `quokka${n}x`;
    await uploadText(call, token, locationId, 1_000 + n, `A ${word} crossed the viaduct.`);
    const completed = performance.now();
    const found = async () => {
      const { results } = await call("POST", "/v1/search", token, { term: `"${word} crossed"`, limit: 1 });
      return Array.isArray(results) && results.length > 0;
    };
    while (!(await found())) {
      if (performance.now() - completed > 30_000) throw new Error("a document did not become searchable");
      await new Promise((next) => setTimeout(next, LOOK_EVERY_MS));
    }
    times.push(performance.now() - completed);
    await new Promise((next) => setTimeout(next, IDLE_MS));
  }
  return times;
}

/** Pause between two documents, so that the service is idle before the next one, milliseconds. */
const IDLE_MS = 500;

/** The open files of the local databases of a stopped service. */
function openDatabases(stateDir: string): DatabaseSync[] {
  const folder = join(stateDir, "v3/d1/miniflare-D1DatabaseObject");
  const files = readdirSync(folder).filter((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  return files.map((file) => new DatabaseSync(join(folder, file)));
}

const MEMBERSHIP = "INSERT INTO memberships (organization_id, user_id, role, created_at) VALUES (?, ?, 'member', 0)";
const ORGANIZATION = `INSERT INTO organizations (id, name, cameras, external_shares, document_storage_bytes, jobs_per_month,
  max_retention_days, created_at, updated_at) VALUES (?, 'One of many', 0, 0, 0, 0, 1, 0, 0)`;
const GRANT = `INSERT INTO grants (id, user_id, target, target_id, tenant_id, organization_id, capabilities, created_at)
  VALUES (?, ?, 'location', ?, ?, ?, '{"Documents":"Read","LocationView":"Read"}', 0)`;

/**
 * Adds 50 organizations and 2,000 grants to the person of a stopped service, in the files of its databases: as many in each database that
 * has an organization of the person.
 */
export function seedBusyPerson(stateDir: string, { userId, organizationIds }: Demo): void {
  const databases = openDatabases(stateDir);
  const having = (table: string, id: string): DatabaseSync => {
    const found = databases.find((db) => db.prepare(`SELECT 1 FROM ${table} WHERE id = ?`).get(id) !== undefined);
    if (found === undefined) throw new Error(`no database has the row ${id} of ${table}`);
    return found;
  };
  const directory = having("users", userId);
  const places = organizationIds.map((organizationId) => {
    const { database } = directory.prepare("SELECT database FROM workspaces WHERE id = ?").get(organizationId) ?? {};
    return { organizationId, name: String(database), db: having("organizations", organizationId) };
  });
  for (const db of databases) db.exec("BEGIN");
  for (let n = 0; n < ORGANIZATIONS; n++) {
    const { db, name } = places[n % places.length] as (typeof places)[number];
    const id = newWorkspaceId();
    directory.prepare("INSERT INTO workspaces (id, number, database) VALUES (?, ?, ?)").run(id, numberOf(id), name);
    directory.prepare("INSERT INTO pointers (user_id, workspace_id) VALUES (?, ?)").run(userId, id);
    db.prepare(ORGANIZATION).run(id);
    db.prepare("INSERT INTO residents (workspace_id, state) VALUES (?, 'here')").run(id);
    db.prepare(MEMBERSHIP).run(id, userId);
  }
  for (let n = 0; n < GRANTS; n++) {
    const { db, organizationId } = places[n % places.length] as (typeof places)[number];
    db.prepare(GRANT).run(newId(), userId, newId(), organizationId, organizationId);
  }
  for (const db of databases) {
    db.exec("COMMIT");
    db.close();
  }
}
