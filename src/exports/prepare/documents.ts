import { crc32 } from "node:zlib";
import { sql } from "drizzle-orm";
import { documentPublished, documents, documentVersions } from "../../documents/tables";
import type { Context } from "../../platform/context";
import { safeName } from "../../platform/file-names";
import { DOCUMENTS_PER_SLICE, IMAGES_PER_SLICE, READ_BYTES_PER_SLICE } from "../limits";
import { type NamedDocument, Namesakes, pathIn } from "./names";
import type { Places } from "./places";
import type { Place, PlaceOf } from "./state";
import type { Writer } from "./writer";

/** Names that one statement reads. */
const NAMES_PER_STATEMENT = 5_000;

/** Documents of a location that people see. */
const shown = (locationId: string) => sql`${documents.locationId} = ${locationId} AND ${documentPublished()}`;

/** Finds the documents of a location that have the same path as another document. The cost grows with the number of documents. */
async function findNamesakes({ workspace }: Context, locationId: string): Promise<string[] | null> {
  const namesakes = new Namesakes();
  for (let after: NamedDocument | null = null; ; ) {
    const rest: ReturnType<typeof sql> =
      after === null ? sql`` : sql`AND (${documents.path}, ${documents.fileName}) > (${after.path}, ${after.fileName})`;
    const rows: NamedDocument[] = await workspace.all<NamedDocument>(
      sql`SELECT ${documents.id} AS id, ${documents.path} AS path, ${documents.fileName} AS fileName FROM ${documents}
        WHERE ${shown(locationId)} ${rest} ORDER BY ${documents.path}, ${documents.fileName} LIMIT ${NAMES_PER_STATEMENT}`,
    );
    namesakes.add(rows);
    if (rows.length < NAMES_PER_STATEMENT) return namesakes.found();
    after = rows.at(-1) ?? null;
  }
}

interface VersionRow extends NamedDocument {
  latest: number;
  version: number;
  key: string;
  versionName: string;
  sizeBytes: number;
  createdAt: number;
}

const nextVersions = (
  { workspace }: Context,
  locationId: string,
  after: PlaceOf<"documents">["after"],
): Promise<VersionRow[]> =>
  workspace.all<VersionRow>(
    sql`SELECT d.id, d.path, d.file_name AS fileName, d.latest_version AS latest, v.version, v.object_key AS key,
        v.file_name AS versionName, v.size_bytes AS sizeBytes, v.created_at AS createdAt
      FROM ${documents} AS d CROSS JOIN ${documentVersions} AS v ON v.document_id = d.id
      WHERE d.location_id = ${locationId} AND ${documentPublished("d")}
        ${after === null ? sql`` : sql`AND (d.path, d.file_name) >= (${after.path}, ${after.fileName}) AND (d.path, d.file_name, v.version) > (${after.path}, ${after.fileName}, ${after.version})`}
      ORDER BY d.path, d.file_name, v.version LIMIT ${DOCUMENTS_PER_SLICE}`,
  );

/** The CRC-32 of an object of this size; null if it does not exist. */
async function crcOf({ objects }: Context, key: string, sizeBytes: number): Promise<number | null> {
  const found = await objects.read(key);
  if (found === null) return null;
  if (found.sizeBytes !== sizeBytes) {
    await found.body.cancel();
    return null;
  }
  let crc = 0;
  for await (const chunk of found.body) crc = crc32(chunk, crc);
  return crc;
}

/** A slice reads about READ_BYTES_PER_SLICE, and twice as many documents as a statement selects. */
const workOf = (bytes: number): number =>
  IMAGES_PER_SLICE * (bytes / READ_BYTES_PER_SLICE + 1 / (2 * DOCUMENTS_PER_SLICE));

/** Adds the next documents with their versions: the latest one by its name, and the others under `versions`. */
export async function addDocuments(
  writer: Writer,
  { locations }: Places,
  from: PlaceOf<"documents">,
): Promise<{ place: Place; missing: number }> {
  const { context } = writer;
  const location = locations[from.location];
  if (location === undefined) return { place: { step: "images", camera: 0, after: null }, missing: 0 };
  if (from.namesakes === undefined)
    return { place: { ...from, namesakes: await findNamesakes(context, location.id) }, missing: 0 };
  const namesakes = from.namesakes === null ? null : new Set(from.namesakes);
  const rows = await nextVersions(context, location.id, from.after);
  let [read, missing, done] = [0, 0, 0];
  for (const row of rows) {
    if (read >= READ_BYTES_PER_SLICE) break;
    const crc = await crcOf(context, row.key, row.sizeBytes);
    read += row.sizeBytes;
    done++;
    if (crc === null) {
      missing++;
      continue;
    }
    const path = pathIn(location.folder, row, namesakes?.has(row.id) ?? true);
    const ending = /\.[a-z0-9]{1,8}$/i.exec(row.versionName)?.[0] ?? "";
    const isLatest = row.version === row.latest;
    writer.add(
      {
        name: isLatest ? `documents/${path}` : `versions/${path}/${safeName(`${row.version}${ending}`, 40)}`,
        ...{ sizeBytes: row.sizeBytes, crc32: crc, modifiedAt: row.createdAt, list: "document" },
        pieces: [{ key: row.key, objectBytes: row.sizeBytes, offset: 0, length: row.sizeBytes }],
      },
      workOf(row.sizeBytes),
    );
  }
  const last = rows[done - 1];
  if (done === rows.length && rows.length < DOCUMENTS_PER_SLICE)
    return { place: { step: "documents", location: from.location + 1, after: null }, missing };
  const after = last === undefined ? from.after : { path: last.path, fileName: last.fileName, version: last.version };
  return { place: { ...from, after }, missing };
}
