import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Collection {
  documents: { id: string; title: string; text: string }[];
  queries: { id: string; text: string }[];
  /** Relevant documents of a query. */
  relevant: Map<string, Set<string>>;
}

/** Reads a test collection of `docs.jsonl`, `queries.tsv` and `qrels.tsv`; null if it does not exist. */
export function readCollection(folder: string): Collection | null {
  if (!existsSync(join(folder, "docs.jsonl"))) return null;
  const lines = (name: string) => readFileSync(join(folder, name), "utf8").split("\n").filter(Boolean);
  const relevant = new Map<string, Set<string>>();
  for (const line of lines("qrels.tsv")) {
    const [query = "", document = "", judgement] = line.split("\t");
    if (Number(judgement) > 0) relevant.set(query, (relevant.get(query) ?? new Set()).add(document));
  }
  return {
    documents: lines("docs.jsonl").map((line) => JSON.parse(line) as Collection["documents"][number]),
    queries: lines("queries.tsv").map((line) => {
      const [id = "", text = ""] = line.split("\t");
      return { id, text };
    }),
    relevant,
  };
}
