import { safeName } from "../../platform/file-names";
import { hashOfText } from "../../platform/text-hash";
import {
  MAX_EXPORTED_FOLDER_LENGTH,
  MAX_EXPORTED_NAME_LENGTH,
  MAX_EXPORTED_PATH_LENGTH,
  MAX_LISTED_NAMESAKES,
} from "../limits";

/*
 * Names in the ZIP. Windows and macOS open it, so names that differ only in case, or in characters that Windows refuses, are
 * names of one file there.
 */

export const safeFolder = (name: string): string => safeName(name, MAX_EXPORTED_FOLDER_LENGTH);

/** The same text for names of one file. */
const folded = (name: string): string => name.normalize("NFKC").toLowerCase().toUpperCase();

/** A name with a part of the id of its resource, which no other name has. */
export function withId(name: string, id: string): string {
  const ending = /\.[a-z0-9]{1,8}$/i.exec(name)?.[0] ?? "";
  return `${name.slice(0, name.length - ending.length)} ~${id.slice(-12)}${ending}`;
}

/** A folder for each of these names, each different from the others. */
export function foldersOf(named: readonly { id: string; name: string }[]): Map<string, string> {
  const counts = new Map<string, number>();
  const safe = named.map(({ id, name }) => ({ id, name: safeFolder(name) }));
  for (const { name } of safe) counts.set(folded(name), (counts.get(folded(name)) ?? 0) + 1);
  return new Map(
    safe.map(({ id, name }) => [
      id,
      counts.get(folded(name)) === 1 ? name : withId(safeName(name, MAX_EXPORTED_FOLDER_LENGTH - 14), id),
    ]),
  );
}

export interface NamedDocument {
  id: string;
  path: string;
  fileName: string;
}

/** The path of a document below the folder of its location. Its folders are left out where the path is too long. */
export function pathIn(folder: string, { id, path, fileName }: NamedDocument, isNamesake: boolean): string {
  const own = safeName(fileName, MAX_EXPORTED_NAME_LENGTH);
  const folders = path === "" ? [] : path.split("/").map(safeFolder);
  const whole = [folder, ...folders, isNamesake ? withId(own, id) : own].join("/");
  return whole.length <= MAX_EXPORTED_PATH_LENGTH ? whole : `${folder}/${withId(own, id)}`;
}

/**
 * Finds the documents of a location that have the same path as another document or as a folder. It gets the documents in parts, and
 * keeps a number for each path.
 */
export class Namesakes {
  readonly #files = new Map<number, string>();
  readonly #folders = new Set<number>();
  readonly #found = new Set<string>();

  add(documents: readonly NamedDocument[]): void {
    for (const document of documents) {
      const parts = folded(pathIn("", document, false)).split("/");
      for (let end = 1; end < parts.length; end++) this.#folders.add(hashOfText(parts.slice(0, end).join("/")));
      const key = hashOfText(parts.join("/"));
      const other = this.#files.get(key);
      if (other === undefined) this.#files.set(key, document.id);
      else this.#found.add(document.id).add(other);
    }
  }

  /** The ids of these documents. Null if they are too many to list: then the path of each document gets its id. */
  found(): string[] | null {
    for (const [key, id] of this.#files) if (this.#folders.has(key)) this.#found.add(id);
    return this.#found.size > MAX_LISTED_NAMESAKES ? null : [...this.#found];
  }
}
