import { z } from "@hono/zod-openapi";
import { DomainError } from "../errors";
import { numberSchema } from "../http/fields";

/** Items of a page: the default, and the most that a request can ask for. */
export const DEFAULT_PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

/** Characters of a cursor: its sort key can be the whole path and name of a document. */
const MAX_CURSOR_LENGTH = 4_000;

/** Query fields of every keyset-paged list. */
export const pageQuery = z.object({
  limit: numberSchema(1, MAX_PAGE_SIZE).default(DEFAULT_PAGE_SIZE),
  cursor: z.string().max(MAX_CURSOR_LENGTH).optional(),
});
export type PageQuery = z.infer<typeof pageQuery>;

/** The schema of a page of `item`; `name` is its name in the API description, such as ClusterList. */
export const pageSchema = <T extends z.ZodType>(name: `${string}List`, item: T) =>
  z
    .object({
      items: z.array(item),
      nextCursor: z
        .string()
        .nullable()
        .openapi({ description: "Send this as `cursor` to get the next page. Null on the last page." }),
    })
    .openapi(name);

const base64url = { alphabet: "base64url", omitPadding: true } as const;

/** Encodes the sort key of the last row as a cursor. Lists use `toPage`; a page that can be short uses this. */
export const cursorOf = (key: readonly (string | number)[]): string =>
  new TextEncoder().encode(JSON.stringify(key)).toBase64(base64url);

const decode = (cursor: string): unknown =>
  JSON.parse(
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(Uint8Array.fromBase64(cursor, base64url)),
  );

/**
 * Decodes a cursor to its sort key; null without a cursor.
 * @throws DomainError invalid-cursor unless `toPage` made it from a key of this shape
 */
export function readCursor<T extends readonly (string | number)[]>(
  cursor: string | undefined,
  shape: z.ZodType<T>,
): T | null {
  if (cursor === undefined) return null;
  try {
    return shape.parse(decode(cursor));
  } catch (cause) {
    throw new DomainError("invalid-cursor", "Send `cursor` exactly as `nextCursor` of the previous page.", {
      cause,
    });
  }
}

/** Makes a page of up to `limit + 1` rows: the extra row only shows that there is a next page. */
export function toPage<Row, Item>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => readonly (string | number)[],
  present: (row: Row) => Item,
): { items: Item[]; nextCursor: string | null } {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    items: shown.map(present),
    nextCursor: rows.length > limit && last !== undefined ? cursorOf(keyOf(last)) : null,
  };
}
