import { sql } from "drizzle-orm";
import { z } from "zod";
import { documents, textSections } from "../documents/tables";
import { annotations, clusters, locations } from "../workspace/tables";
import { type EntryType, searchEntries, searchRows } from "./tables";
import type { LanguageSet } from "./text";

/** The fields of a result. They come from the rows themselves, never from the index. */
export interface Detail {
  title: string;
  subtitle: string;
  /** The text that contains the snippet. */
  text: string | null;
  source: Source | null;
  /** The languages in which its index entry was stemmed. */
  languages: LanguageSet;
  /** The languages of the entry of its resource. For a passage, the language of its document. */
  ownLanguages: LanguageSet;
  tenantId: string;
  organizationId: string | null;
  clusterId: string;
  locationId: string | null;
  /** Names of its places, including places that the caller may not see. */
  clusterName: string;
  locationName: string | null;
  updatedAt: number;
}

/** A position in a document. */
export interface Source {
  documentId: string;
  pageNumber: number | null;
  chunkIndex: number | null;
}

/** Characters of a description in a subtitle. */
const MAX_SUBTITLE_LENGTH = 160;

/** Joins the rows of a hit `r` of `(type, resource, row, position)`, so that one statement ranks and reads. */
export const detailJoins = sql`
  LEFT JOIN ${documents} d ON r.type IN ('document', 'text') AND d.id = r.resource
  LEFT JOIN ${textSections} s ON r.type IN ('document', 'text') AND s.id = r.row
  LEFT JOIN ${locations} l ON r.type = 'location' AND l.id = r.resource
  LEFT JOIN ${clusters} c ON r.type = 'cluster' AND c.id = r.resource
  LEFT JOIN ${annotations} a ON r.type = 'annotation' AND a.id = r.resource`;

/** Joins the places of a hit, after detailJoins. */
export const placeJoins = sql`
  LEFT JOIN ${locations} pl ON pl.id = coalesce(d.location_id, a.location_id, l.id)
  LEFT JOIN ${clusters} pc ON pc.id = coalesce(d.cluster_id, l.cluster_id, a.cluster_id, c.id)`;

export const titleColumn = sql`coalesce(d.file_name, l.name, c.name, a.title) AS "title"`;

export const detailColumns = sql`${titleColumn}, d.path AS "path", s.texts ->> r.position AS "passage", s.page AS "page", s.chunk_index + r.position AS "chunkIndex",
  a.kind AS "kind", l.address AS "address", coalesce(l.description, c.description, a.body) AS "description",
  coalesce(d.tenant_id, l.tenant_id, c.tenant_id, a.tenant_id) AS "tenantId",
  coalesce(d.organization_id, l.organization_id, c.organization_id, a.organization_id) AS "organizationId",
  coalesce(d.cluster_id, l.cluster_id, c.id, a.cluster_id) AS "clusterId",
  coalesce(d.location_id, l.id, a.location_id) AS "locationId", pc.name AS "clusterName", pl.name AS "locationName",
  coalesce(d.updated_at, l.updated_at, c.updated_at, a.updated_at) AS "updatedAt",
  (SELECT e.languages FROM ${searchRows} x CROSS JOIN ${searchEntries} e ON e.key = x.entry_key WHERE x.id = r.row) AS "languages",
  (SELECT e.languages FROM ${searchRows} x CROSS JOIN ${searchEntries} e ON e.key = x.resource_key WHERE x.id = r.row) AS "ownLanguages"`;

export const detailRow = z.object({
  title: z.string(),
  path: z.string().nullable(),
  passage: z.string().nullable(),
  page: z.int().nullable(),
  chunkIndex: z.int().nullable(),
  kind: z.string().nullable(),
  address: z.string().nullable(),
  description: z.string().nullable(),
  tenantId: z.string(),
  organizationId: z.string().nullable(),
  clusterId: z.string(),
  locationId: z.string().nullable(),
  clusterName: z.string(),
  locationName: z.string().nullable(),
  updatedAt: z.int(),
  languages: z.int(),
  ownLanguages: z.int(),
});
type DetailRow = z.infer<typeof detailRow>;

const shortened = (text: string): string =>
  text.length <= MAX_SUBTITLE_LENGTH ? text : `${text.slice(0, MAX_SUBTITLE_LENGTH - 1).toWellFormed()}…`;

/** The fields of a result, from its row. */
export function detailOf(type: EntryType, resource: string, row: DetailRow): Detail {
  const { title, tenantId, organizationId, clusterId, locationId, clusterName, locationName, updatedAt } = row;
  const { languages, ownLanguages } = row;
  const place = {
    title,
    tenantId,
    organizationId,
    clusterId,
    locationId,
    clusterName,
    locationName,
    updatedAt,
    languages,
    ownLanguages,
  };
  if (type === "document" || type === "text") {
    const source = { documentId: resource, pageNumber: row.page, chunkIndex: row.chunkIndex };
    return { ...place, subtitle: storagePath(row), text: row.passage, source };
  }
  const subtitle = type === "annotation" ? row.kind : shortened(row.address ?? row.description ?? "");
  return { ...place, subtitle: subtitle ?? "", text: row.description || null, source: null };
}

/** The path of a document in the library of its location. */
const storagePath = ({ path, title }: DetailRow): string => ["documents", path, title].filter(Boolean).join("/");
