import { type SQL, sql } from "drizzle-orm";
import { documents } from "../../documents/tables";
import { annotations, clusters, locations } from "../../workspace/tables";

export const ASSET_TYPES = ["cluster", "location", "annotation", "document"] as const;
export type AssetType = (typeof ASSET_TYPES)[number];

interface AssetSource {
  table: SQL;
  /** Holds for a row `a` that is to be found. */
  living: SQL;
  title: SQL;
  /** What it is found by beside its title, as one text. */
  body: SQL;
}

/** Values of a metadata object, at any depth, without its keys. */
const metadataWords = sql`(SELECT coalesce(group_concat(m.atom, ' '), '') FROM json_tree(a.metadata) m)`;
const notDeleted = sql`a.deleted_at IS NULL`;

/** Where each kind of asset is kept, and what of it is indexed. */
export const ASSET_SOURCES: Readonly<Record<AssetType, AssetSource>> = {
  cluster: {
    table: sql`${clusters}`,
    living: notDeleted,
    title: sql`a.name`,
    body: sql`a.description || ' ' || ${metadataWords}`,
  },
  location: {
    table: sql`${locations}`,
    living: notDeleted,
    title: sql`a.name`,
    body: sql`a.description || ' ' || coalesce(a.address, '') || ' ' || ${metadataWords}`,
  },
  annotation: {
    table: sql`${annotations}`,
    living: sql`1`,
    title: sql`a.title`,
    body: sql`a.kind || ' ' || a.body || ' ' || ${metadataWords}`,
  },
  document: {
    table: sql`${documents}`,
    living: sql`a.deleted_at IS NULL AND a.latest_version > 0`,
    title: sql`a.file_name`,
    body: sql`a.path`,
  },
};
