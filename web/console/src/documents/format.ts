import { FORMATS } from "#texts/documents.ts";
import type { Document } from "../../../../client/src/index.ts";

/** The format of a file in words: "PDF", "Picture (PNG)", "DWG file". */
export function formatOf({ contentType, fileName }: Pick<Document, "contentType" | "fileName">): string {
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const known = FORMATS.byType[type];
  if (known !== undefined) return known;
  const [family = "", subtype = ""] = type.split("/");
  const name = FORMATS.byFamily[family];
  if (name !== undefined) return FORMATS.variant(name, subtype.replace(/\+.*/, "").toUpperCase());
  const ending = /\.([^.]+)$/.exec(fileName)?.[1];
  return ending === undefined ? FORMATS.unknown : FORMATS.byEnding(ending.toUpperCase());
}
