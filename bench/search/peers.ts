import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import MiniSearch from "minisearch";
import type { Collection } from "./collection.ts";

/** Ranks all queries: the ids of the documents of each one, best first. */
export type Engine = (queries: readonly string[]) => Promise<string[][]> | string[][];

type Documents = Collection["documents"];

function miniSearch(documents: Documents): Engine {
  const engine = new MiniSearch({ fields: ["title", "text"] });
  engine.addAll(documents);
  return (queries) =>
    queries.map((query) => engine.search(query, { boost: { title: 2 }, fuzzy: 0.2 }).map(({ id }) => String(id)));
}

function plainFts5(documents: Documents): Engine {
  const db = new DatabaseSync(":memory:");
  db.exec("CREATE VIRTUAL TABLE docs USING fts5 (id UNINDEXED, title, text, tokenize = 'porter unicode61')");
  const insert = db.prepare("INSERT INTO docs VALUES (?, ?, ?)");
  for (const { id, title, text } of documents) insert.run(id, title, text);
  const find = db.prepare("SELECT id FROM docs WHERE docs MATCH ? ORDER BY bm25(docs), rowid LIMIT 60");
  return (queries) =>
    queries.map((query) => {
      const match = (query.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => `"${word}"`).join(" OR ");
      return match === "" ? [] : find.all(match).map(({ id }) => String(id));
    });
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** A program that reads the documents and the queries from files. */
const program =
  (documents: Documents, command: string, before: readonly string[]): Engine =>
  (queries) => {
    const folder = mkdtempSync(join(tmpdir(), "bench-peer-"));
    try {
      const files = [join(folder, "documents.tsv"), join(folder, "queries.txt")] as const;
      const lines = documents.map(({ id, title, text }) => [id, oneLine(title), oneLine(text)].join("\t"));
      writeFileSync(files[0], lines.map((line) => `${line}\n`).join(""));
      writeFileSync(files[1], queries.map((query) => `${oneLine(query)}\n`).join(""));
      const options = { encoding: "utf8", maxBuffer: 2 ** 28 } as const;
      const found = execFileSync(command, [...before, ...files], options).split("\n");
      return queries.map((_, i) => (found[i] ?? "").split(" ").filter(Boolean));
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

const JARS = "/usr/share/java";
const LUCENE_PARTS = /^lucene-(?:core|analyzers-common|queryparser)-[\d.]+\.jar$/;

function lucene(documents: Documents): [string, Engine] | null {
  const jars = existsSync(JARS) ? readdirSync(JARS).filter((name) => LUCENE_PARTS.test(name)) : [];
  if (jars.length < 3) return null;
  const version = jars[0]?.match(/[\d.]+\d/)?.[0];
  const path = jars.map((name) => join(JARS, name)).join(":");
  return [
    `Lucene ${version}, EnglishAnalyzer, BM25`,
    program(documents, "java", ["-cp", path, "bench/search/peers/Lucene.java"]),
  ];
}

function xapian(documents: Documents): [string, Engine] | null {
  try {
    const version = execFileSync("/usr/bin/python3", ["-c", "import xapian; print(xapian.version_string())"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const engine = program(documents, "/usr/bin/python3", ["bench/search/peers/rank_with_xapian.py"]);
    return [`Xapian ${version.trim()}, English stems, BM25`, engine];
  } catch {
    return null;
  }
}

/**
 * Other engines over the same documents. Xapian and Lucene take part where Debian's `python3-xapian`, or `liblucene8-java`
 * and Java, are installed.
 */
export function peersOf(documents: Documents): [name: string, engine: Engine][] {
  const installed = [xapian(documents), lucene(documents)].filter((peer) => peer !== null);
  return [
    ["MiniSearch 7, title × 2, fuzzy .2", miniSearch(documents)],
    ["SQLite FTS5, porter, bm25()", plainFts5(documents)],
    ...installed,
  ];
}
