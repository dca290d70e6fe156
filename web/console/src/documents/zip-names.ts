import type { Document } from "../../../../client/src/index.ts";
import { savableName } from "../../../../src/platform/file-names.ts";

/** The same text for names of one file on Windows and macOS. */
const folded = (name: string): string => name.normalize("NFKC").toLowerCase().toUpperCase();

/**
 * The names of documents in a ZIP, below the folder that is shown. Every system can save them: names that are equal there
 * get a number.
 */
export function namesIn(documents: readonly Pick<Document, "path" | "fileName">[], folder: string): string[] {
  const paths = documents.map(({ path, fileName }) => {
    const below = `${path}/`.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
    return [...(folder === "" ? path : below).split("/").filter((part) => part !== ""), fileName].map(
      (part) => savableName(part.normalize("NFC").trim()) || "_",
    );
  });
  const folders = paths.flatMap((parts) => parts.slice(0, -1).map((_, n) => folded(parts.slice(0, n + 1).join("/"))));
  const used = new Set(folders);
  return paths.map((parts) => {
    const whole = parts.join("/");
    const ending = /\.[a-z0-9]{1,8}$/i.exec(whole)?.[0] ?? "";
    let name = whole;
    for (let n = 2; used.has(folded(name)); n++)
      name = `${whole.slice(0, whole.length - ending.length)} (${n})${ending}`;
    used.add(folded(name));
    return name;
  });
}
