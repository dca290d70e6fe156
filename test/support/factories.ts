import { env } from "cloudflare:workers";
import type { CapabilityMap, GrantTarget, Role } from "../../src/access";
import { writeToken } from "../../src/access/authentication/authenticate";
import { accessTokens, grants, memberships, organizations, passkeys, people, users } from "../../src/access/tables";
import { sortNameOf } from "../../src/documents/sorting/sorting";
import { documents, documentVersions, textSections } from "../../src/documents/tables";
import { randomHex, sha256Hex } from "../../src/platform/crypto/bytes";
import { openDatabases } from "../../src/platform/db/database";
import { insertResident } from "../../src/platform/db/residence";
import { newId, newIdIn, newWorkspaceId } from "../../src/platform/ids";
import { annotations, clusters, locations } from "../../src/workspace/tables";
import { isSpread, notePlace, notePointer } from "./spread";

/*
 * Functions that write rows directly into the database. Each test creates its own organization and users. A test uses
 * the API for its subject, and these functions for its preconditions.
 */

/** Opens a workspace here: of a person, of an organization, or the workspace `tenantId` of a test. */
export async function mintResident(id: string): Promise<string> {
  await notePlace(id);
  await insertResident(database(), id);
  return id;
}

const database = () => openDatabases(env.DB).workspace;
const directory = () => openDatabases(env.DB).directory;

export interface Person {
  userId: string;
  email: string;
  /** An unrestricted personal access token. */
  token: string;
}

/** Creates a personal access token of a user. `overrides` restrict it. */
export async function mintToken(
  userId: string,
  overrides: Partial<typeof accessTokens.$inferInsert> = {},
): Promise<{ id: string; token: string }> {
  const [id, secret] = [newId(), randomHex(32)];
  const row = { id, userId, name: "test", secretHash: await sha256Hex(secret), createdAt: Date.now(), ...overrides };
  await directory().insert(accessTokens).values(row);
  return { id, token: writeToken(id, secret) };
}

/** Writes a passkey of a user, which no authenticator has. @returns its id */
export async function mintPasskey(
  userId: string,
  overrides: Partial<typeof passkeys.$inferInsert> = {},
): Promise<string> {
  const id = newId();
  const row = {
    id,
    userId,
    name: "test",
    credentialId: id,
    publicKey: "",
    counter: 0,
    transports: [],
    isBackedUp: false,
  };
  await directory()
    .insert(passkeys)
    .values({ ...row, createdAt: Date.now(), ...overrides });
  return id;
}

export async function mintPerson(overrides: Partial<typeof users.$inferInsert> = {}): Promise<Person> {
  const id = newWorkspaceId();
  const row = {
    id,
    email: `${id}@people.test`,
    displayName: "Person",
    emailVerifiedAt: Date.now(),
    createdAt: Date.now(),
    ...overrides,
  };
  await directory().insert(users).values(row);
  await database().insert(people).values({ id: row.id, email: row.email, displayName: row.displayName });
  await mintResident(row.id);
  return { userId: row.id, email: row.email, token: (await mintToken(row.id)).token };
}

export async function mintOrganization(
  overrides: Partial<typeof organizations.$inferInsert> = {},
): Promise<{ id: string; owner: Person }> {
  const id = newWorkspaceId();
  const now = Date.now();
  const entitlements = {
    cameras: true,
    externalShares: true,
    documentStorageBytes: 1024 ** 3,
    jobsPerMonth: 1_000,
    maxRetentionDays: 365,
  };
  await mintResident(id);
  await database()
    .insert(organizations)
    .values({
      id,
      name: `Organization ${id.slice(-4)}`,
      ...entitlements,
      createdAt: now,
      updatedAt: now,
      ...overrides,
    });
  const owner = await mintPerson();
  await addMember(id, owner.userId, "owner");
  return { id, owner };
}

export async function addMember(
  organizationId: string,
  userId: string,
  role: Role,
  overrides: CapabilityMap = {},
): Promise<void> {
  await notePointer(userId, organizationId);
  await database().insert(memberships).values({ organizationId, userId, role, overrides, createdAt: Date.now() });
}

export async function mintMember(
  organizationId: string,
  role: Role = "member",
  overrides: CapabilityMap = {},
): Promise<Person> {
  const person = await mintPerson();
  await addMember(organizationId, person.userId, role, overrides);
  return person;
}

/** Creates this many members with a few statements. They have no tokens. @returns their ids. */
export async function mintMembers(organizationId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  for (const id of isSpread ? ids : []) await notePlace(id);
  const values = JSON.stringify(ids);
  const insert = (statement: string, ...before: string[]) => env.DB.prepare(statement).bind(...before, values);
  await env.DB.batch([
    insert(
      "INSERT INTO users (id, email, display_name, created_at) SELECT value, value || '@people.test', 'Person', 0 FROM json_each(?)",
    ),
    insert(
      "INSERT INTO people (id, email, display_name) SELECT value, value || '@people.test', 'Person' FROM json_each(?)",
    ),
    // Nothing is in their personal workspaces, so with several databases it does not matter which one has the rows.
    insert("INSERT INTO residents (workspace_id, state) SELECT value, 'here' FROM json_each(?)"),
    insert(
      "INSERT INTO memberships (organization_id, user_id, role, created_at) SELECT ?1, value, 'member', 0 FROM json_each(?2)",
      organizationId,
    ),
  ]);
  for (const id of isSpread ? ids : []) await notePointer(id, organizationId);
  return ids;
}

/** A workspace: of an organization, or a personal one. */
export type Tenant = { organizationId: string } | { ownerUserId: string };

const tenantColumns = (tenant: Tenant) =>
  "organizationId" in tenant
    ? { tenantId: tenant.organizationId, organizationId: tenant.organizationId }
    : { tenantId: tenant.ownerUserId, organizationId: null };

export async function mintCluster(
  tenant: Tenant,
  overrides: Partial<typeof clusters.$inferInsert> = {},
): Promise<string> {
  const [id, now] = [newIdIn(tenantColumns(tenant).tenantId), Date.now()];
  await database()
    .insert(clusters)
    .values({
      id,
      ...tenantColumns(tenant),
      name: "Cluster",
      metadata: {},
      createdAt: now,
      updatedAt: now,
      ...overrides,
    });
  return id;
}

export async function mintLocation(
  tenant: Tenant,
  overrides: Partial<typeof locations.$inferInsert> = {},
): Promise<{ id: string; clusterId: string }> {
  const [id, now] = [newIdIn(tenantColumns(tenant).tenantId), Date.now()];
  const clusterId = overrides.clusterId ?? (await mintCluster(tenant));
  await database()
    .insert(locations)
    .values({
      id,
      ...tenantColumns(tenant),
      name: "Location",
      metadata: {},
      createdAt: now,
      updatedAt: now,
      ...overrides,
      clusterId,
    });
  return { id, clusterId };
}

/** An organization with one location. */
export async function mintPlace(): Promise<{ organizationId: string; owner: Person; locationId: string }> {
  const { id: organizationId, owner } = await mintOrganization();
  return { organizationId, owner, locationId: (await mintLocation({ organizationId })).id };
}

export async function mintGrant(
  tenant: Tenant,
  userId: string,
  target: GrantTarget,
  targetId: string,
  capabilities: CapabilityMap,
  overrides: Partial<typeof grants.$inferInsert> = {},
): Promise<string> {
  const { tenantId } = tenantColumns(tenant);
  const id = newIdIn(tenantId);
  await notePointer(userId, tenantId);
  await database()
    .insert(grants)
    .values({
      id,
      userId,
      target,
      targetId,
      ...tenantColumns(tenant),
      capabilities,
      createdAt: Date.now(),
      ...overrides,
    });
  return id;
}

/** Texts of passages: one on a page, or several on a page, which are one section. */
type Texts = readonly (string | string[])[];

/** Creates a document with one version. `texts` become its passages. */
export async function mintDocument(
  tenant: Tenant,
  location: { id: string; clusterId: string },
  texts: Texts = [],
  overrides: Partial<typeof documents.$inferInsert> = {},
): Promise<string> {
  const [id, now] = [newIdIn(tenantColumns(tenant).tenantId), Date.now()];
  const row = {
    id,
    ...tenantColumns(tenant),
    clusterId: location.clusterId,
    locationId: location.id,
    path: "",
    fileName: `${id}.pdf`,
    latestVersion: 1,
    nextVersion: 2,
    textVersion: texts.length > 0 ? 1 : 0,
    textStatus: texts.length > 0 ? ("indexed" as const) : ("unsupported" as const),
    createdAt: now,
    updatedAt: now,
    kind: "pdf" as const,
    sizeBytes: 1,
    ...overrides,
  };
  await database()
    .insert(documents)
    .values({ sortName: sortNameOf(row.fileName), ...row });
  await mintVersion(row.id, 1, row.fileName);
  await mintPassages(row.id, 1, texts);
  return row.id;
}

/** Creates a version of a document, without its bytes. */
export async function mintVersion(documentId: string, version: number, fileName: string): Promise<void> {
  await database()
    .insert(documentVersions)
    .values({
      documentId,
      version,
      objectKey: `tests/${documentId}/${version}`,
      fileName,
      contentType: "application/pdf",
      sizeBytes: 1,
      checksumSha256: "0".repeat(64),
      createdAt: Date.now(),
    });
}

/** Creates the passages of a version. */
export async function mintPassages(documentId: string, version: number, texts: Texts): Promise<void> {
  let passages = 0;
  const rows = texts.map((given, i) => {
    const section = [given].flat();
    passages += section.length;
    return { documentId, version, page: i + 1, chunkIndex: passages - section.length, texts: section };
  });
  for (let at = 0; at < rows.length; at += 16)
    await database()
      .insert(textSections)
      .values(rows.slice(at, at + 16));
}

export async function mintAnnotation(
  tenant: Tenant,
  location: { id: string; clusterId: string },
  overrides: Partial<typeof annotations.$inferInsert> = {},
): Promise<string> {
  const [id, now] = [newIdIn(tenantColumns(tenant).tenantId), Date.now()];
  await database()
    .insert(annotations)
    .values({
      id,
      ...tenantColumns(tenant),
      clusterId: location.clusterId,
      locationId: location.id,
      kind: "note",
      title: "Note",
      metadata: {},
      createdAt: now,
      updatedAt: now,
      ...overrides,
    });
  return id;
}
