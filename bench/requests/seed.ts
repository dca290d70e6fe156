import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { v7 as uuid } from "uuid";

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
  organizationId: string;
  locationId: string;
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

/** Creates data in the size of the demo over the API: an organization, locations, and searchable documents. */
export async function seedDemo(call: Call): Promise<Demo> {
  const email = `demo-${Date.now()}@people.test`;
  const registered = await call("POST", "/v1/auth/register", undefined, {
    email,
    password: PASSWORD,
    displayName: "Ada",
  });
  const session = String(registered.accessToken);
  const token = String((await call("POST", "/v1/auth/tokens", session, { name: "bench" })).token);
  const organizationId = String((await call("POST", "/v1/orgs", token, { name: "Bridges" })).id);
  const clusterId = String((await call("POST", "/v1/spatial/clusters", token, { organizationId, name: "North" })).id);
  const locationIds: string[] = [];
  for (let n = 0; n < LOCATIONS; n++)
    locationIds.push(
      String((await call("POST", "/v1/spatial/locations", token, { clusterId, name: `Bridge ${n}` })).id),
    );
  for (let n = 0; n < DOCUMENTS; n++) await uploadText(call, token, locationIds[n % LOCATIONS] ?? "", n);
  const locationId = locationIds[0] ?? "";
  const deadline = Date.now() + 120_000;
  for (;;) {
    const { results } = await call("POST", "/v1/search", token, { term: '"north abutment"', limit: 100 });
    if (Array.isArray(results) && results.length >= DOCUMENTS) break;
    if (Date.now() > deadline) throw new Error("the documents did not become searchable");
    await new Promise((next) => setTimeout(next, 500));
  }
  const { id } = registered.user as { id: string };
  return { email, password: PASSWORD, token, userId: id, organizationId, locationId };
}

/** Pause between two searches for a new document, milliseconds. A measurement is too long by half of it. */
const LOOK_EVERY_MS = 25;

/**
 * Times from `upload-complete` until a search finds a document, for several documents one after another, milliseconds.
 */
export async function timesToSearchable(call: Call, { token, locationId }: Demo, count: number): Promise<number[]> {
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

/** Adds 50 organizations and 2,000 grants to the user, in the database file of a stopped service. */
export function seedBusyPerson(stateDir: string, { userId, organizationId }: Demo): void {
  const folder = join(stateDir, "v3/d1/miniflare-D1DatabaseObject");
  const file = readdirSync(folder).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
  if (file === undefined) throw new Error(`no database in ${folder}`);
  const db = new DatabaseSync(join(folder, file));
  db.exec("BEGIN");
  const organization =
    db.prepare(`INSERT INTO organizations (id, name, cameras, external_shares, document_storage_bytes,
    jobs_per_month, max_retention_days, created_at, updated_at) VALUES (?, 'One of many', 0, 0, 0, 0, 1, 0, 0)`);
  const resident = db.prepare("INSERT INTO residents (workspace_id, state) VALUES (?, 'here')");
  const membership = db.prepare(
    "INSERT INTO memberships (organization_id, user_id, role, created_at) VALUES (?, ?, 'member', 0)",
  );
  const grant =
    db.prepare(`INSERT INTO grants (id, user_id, target, target_id, tenant_id, organization_id, capabilities,
    created_at) VALUES (?, ?, 'location', ?, ?, ?, '{"Documents":"Read","LocationView":"Read"}', 0)`);
  for (let n = 0; n < ORGANIZATIONS; n++) {
    const id = uuid();
    organization.run(id);
    resident.run(id);
    membership.run(id, userId);
  }
  for (let n = 0; n < GRANTS; n++) grant.run(uuid(), userId, uuid(), organizationId, organizationId);
  db.exec("COMMIT");
  db.close();
}
