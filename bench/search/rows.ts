import { createHash, randomBytes } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";

/** Ids that sort by creation, so that all runs are equal. */
let made = 0;
export const nextId = (): string => {
  made += 1;
  const hex = made.toString(16).padStart(12, "0");
  return `01900000-0000-7000-8000-${hex}`;
};

/** Continues far above the ids of a database from an earlier process. */
export const continueIds = (): void => {
  made = Math.max(made, 1_000_000_000);
};

const NOW = Date.UTC(2026, 0, 1);

export interface Place {
  organizationId: string;
  clusterId: string;
  locationId: string;
}

const addResident = (db: DatabaseSync, workspaceId: string) =>
  db.prepare("INSERT INTO residents (workspace_id, state) VALUES (?, 'here')").run(workspaceId);

/** Adds a user with an unrestricted token. */
export function addPerson(db: DatabaseSync): { userId: string; token: string } {
  const [userId, tokenId, secret] = [nextId(), nextId(), randomBytes(32).toString("hex")];
  db.prepare("INSERT INTO users (id, email, display_name, created_at) VALUES (?, ?, 'Person', ?)").run(
    userId,
    `${userId}@bench.test`,
    NOW,
  );
  db.prepare("INSERT INTO people (id, email, display_name) VALUES (?, ?, 'Person')").run(
    userId,
    `${userId}@bench.test`,
  );
  addResident(db, userId);
  db.prepare("INSERT INTO access_tokens (id, user_id, name, secret_hash, created_at) VALUES (?, ?, 'bench', ?, ?)").run(
    tokenId,
    userId,
    createHash("sha256").update(secret).digest("hex"),
    NOW,
  );
  return { userId, token: `svcpat1.${tokenId.replaceAll("-", "")}.${secret}` };
}

export function addOrganization(db: DatabaseSync): string {
  const id = nextId();
  db.prepare(
    `INSERT INTO organizations (id, name, cameras, external_shares, document_storage_bytes, jobs_per_month,
      max_retention_days, created_at, updated_at) VALUES (?, 'Organization', 0, 0, 0, 0, 30, ?, ?)`,
  ).run(id, NOW, NOW);
  addResident(db, id);
  return id;
}

export const addMember = (db: DatabaseSync, organizationId: string, userId: string): void => {
  db.prepare("INSERT INTO memberships (organization_id, user_id, role, created_at) VALUES (?, ?, 'member', ?)").run(
    organizationId,
    userId,
    NOW,
  );
};

export const addGrant = (db: DatabaseSync, userId: string, { organizationId, locationId }: Place): void => {
  db.prepare(
    `INSERT INTO grants (id, user_id, target, target_id, tenant_id, organization_id, capabilities, created_at)
     VALUES (?, ?, 'location', ?, ?, ?, '{"Documents":"Read"}', ?)`,
  ).run(nextId(), userId, locationId, organizationId, organizationId, NOW);
};

/** Adds a cluster with one location. */
export function addPlace(db: DatabaseSync, organizationId: string): Place {
  const [clusterId, locationId] = [nextId(), nextId()];
  const common = [organizationId, organizationId];
  db.prepare(
    "INSERT INTO clusters (id, tenant_id, organization_id, name, created_at, updated_at) VALUES (?, ?, ?, 'Cluster', ?, ?)",
  ).run(clusterId, ...common, NOW, NOW);
  db.prepare(
    `INSERT INTO locations (id, tenant_id, organization_id, cluster_id, name, created_at, updated_at)
     VALUES (?, ?, ?, ?, 'Location', ?, ?)`,
  ).run(locationId, ...common, clusterId, NOW, NOW);
  return { organizationId, clusterId, locationId };
}

/** The rows are made like in the extraction, which this script cannot import. */
const PASSAGES_PER_SECTION = 8;

export interface Section {
  id: number;
  chunkIndex: number;
  texts: string[];
}

/** Adds these passages, all of one page, as a version's text. */
export function addText(db: DatabaseSync, documentId: string, version: number, texts: readonly string[]): Section[] {
  const insert = db.prepare(
    "INSERT INTO text_sections (document_id, version, page, chunk_index, texts) VALUES (?, ?, 1, ?, ?)",
  );
  const sections: Section[] = [];
  for (let chunkIndex = 0; chunkIndex < texts.length; chunkIndex += PASSAGES_PER_SECTION) {
    const given = texts.slice(chunkIndex, chunkIndex + PASSAGES_PER_SECTION);
    const { lastInsertRowid } = insert.run(documentId, version, chunkIndex, JSON.stringify(given));
    sections.push({ id: Number(lastInsertRowid), chunkIndex, texts: given });
  }
  return sections;
}

/** Adds a document with these passages. Returns its id and its sections. */
export function addDocument(
  db: DatabaseSync,
  place: Place,
  fileName: string,
  texts: readonly string[],
): { id: string; sections: Section[] } {
  const id = nextId();
  db.prepare(
    `INSERT INTO documents (id, tenant_id, organization_id, cluster_id, location_id, path, file_name, latest_version,
      next_version, text_version, text_status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, 1, 2, 1, 'indexed', ?, ?)`,
  ).run(id, place.organizationId, place.organizationId, place.clusterId, place.locationId, id, fileName, NOW, NOW);
  return { id, sections: addText(db, id, 1, texts) };
}
