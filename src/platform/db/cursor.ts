import { z } from "@hono/zod-openapi";
import { DomainError } from "../errors";

/** Page size when the caller names none, and the largest one may ask for. */
export const DEFAULT_PAGE = 20;
export const LARGEST_PAGE = 100;

/** Longest cursor, characters: the sort key may be a document's whole path and name. */
const LONGEST_CURSOR = 4_000;

/** Query fields of every keyset-paged list. */
export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(LARGEST_PAGE).default(DEFAULT_PAGE),
  cursor: z.string().max(LONGEST_CURSOR).optional(),
});
export type PageQuery = z.infer<typeof pageQuery>;

/** A page of `item`, as the wire shows it; `name` is the schema's name in the API's description, such as ClusterList. */
export const pageSchema = <T extends z.ZodType>(name: `${string}List`, item: T) =>
  z
    .object({
      items: z.array(item),
      nextCursor: z
        .string()
        .nullable()
        .openapi({ description: "Send it as `cursor` for the next page. Null: the last page." }),
    })
    .openapi(name);

const base64url = { alphabet: "base64url", omitPadding: true } as const;

/** The opaque form of the last row's sort key. */
const encode = (key: readonly (string | number)[]): string =>
  new TextEncoder().encode(JSON.stringify(key)).toBase64(base64url);

const decode = (cursor: string): unknown =>
  JSON.parse(
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(Uint8Array.fromBase64(cursor, base64url)),
  );

/**
 * Reads a cursor back into its sort key, or null without one.
 * @throws DomainError invalid-cursor when it was not made by `toPage` with a key of this shape.
 */
export function readCursor<T extends readonly (string | number)[]>(
  cursor: string | undefined,
  shape: z.ZodType<T>,
): T | null {
  if (cursor === undefined) return null;
  try {
    return shape.parse(decode(cursor));
  } catch (cause) {
    throw new DomainError("invalid-cursor", "Send `cursor` exactly as a previous page's `nextCursor` gave it.", {
      cause,
    });
  }
}

/** Cuts `limit + 1` rows to a page: the extra row only tells whether there is a next one. */
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
    nextCursor: rows.length > limit && last !== undefined ? encode(keyOf(last)) : null,
  };
}
