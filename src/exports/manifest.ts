import { asc, eq } from "drizzle-orm";
import { z } from "zod";
import type { Context } from "../platform/context";
import type { Entry } from "../platform/zip/archive";
import { workspaceExportPages } from "./tables";

/** A member in an object of the manifest: name, bytes, CRC-32, time, its pieces, and whether it is listed in the index. */
const memberTuple = z.tuple([
  z.string(),
  z.int(),
  z.int(),
  z.int(),
  z.array(z.tuple([z.string(), z.int(), z.int(), z.int()])),
  z.enum(["", "document", "image"]),
]);
type MemberTuple = z.infer<typeof memberTuple>;

/** A file of an export. */
export interface ExportedFile extends Entry {
  /** The list of the index that has it; empty if none has. */
  list: MemberTuple[5];
}

const tupleOf = ({ name, sizeBytes, crc32, modifiedAt, pieces, list }: ExportedFile): MemberTuple => [
  name,
  sizeBytes,
  crc32,
  modifiedAt,
  pieces.map(({ key, objectBytes, offset, length }) => [key, objectBytes, offset, length]),
  list,
];

/** A page of the manifest as the bytes of its object. */
export const writePage = (files: readonly ExportedFile[]): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(files.map(tupleOf)));

/** Rows of the pages of an export, in order. */
export const readPages = ({ workspace }: Pick<Context, "workspace">, exportId: string) =>
  workspace
    .select()
    .from(workspaceExportPages)
    .where(eq(workspaceExportPages.exportId, exportId))
    .orderBy(asc(workspaceExportPages.page));

/** The files of a page. @throws when its object does not exist */
export async function readPage(
  { objects }: Pick<Context, "objects">,
  key: string | undefined,
): Promise<ExportedFile[]> {
  const found = key === undefined ? null : await objects.read(key);
  if (found === null) throw new Error("a page of an export's manifest is missing");
  const tuples = z.array(memberTuple).parse(await new Response(found.body).json());
  return tuples.map(([name, sizeBytes, crc32, modifiedAt, pieces, list]) => ({
    ...{ name, sizeBytes, crc32, modifiedAt, list },
    pieces: pieces.map(([of, objectBytes, offset, length]) => ({ key: of, objectBytes, offset, length })),
  }));
}
