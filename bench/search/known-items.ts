import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { isStopWord } from "../../src/search/text";
import { table } from "../support/results.ts";
import { mean, reciprocalRank, seeded } from "./metrics.ts";
import { peersOf } from "./peers.ts";
import { passagesOf, startOurs } from "./relevance.ts";

/** The documentation of the installed packages. It is read from there and never copied. */
const FOLDER = process.env.BENCH_DOCUMENTATION ?? "/usr/share/doc";
const [DOCUMENTS, QUERIES] = [400, 300];
/** Bytes of a text. */
const [MIN_SIZE, MAX_SIZE] = [4_000, 120_000];
const NAMES = /^(?:.*\.(?:txt|md|rst)|README.*|NEWS.*|FAQ.*|INSTALL.*)(?:\.gz)?$/i;

interface Text {
  id: string;
  title: string;
  text: string;
}

/** Texts of the folder in order of paths, each once. */
function readTexts(): Text[] {
  const texts: Text[] = [];
  const seen = new Set<string>();
  for (const path of readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).sort()) {
    const file = join(FOLDER, path);
    if (!NAMES.test(basename(path)) || !statSync(file, { throwIfNoEntry: false })?.isFile()) continue;
    const bytes = path.endsWith(".gz") ? gunzipSync(readFileSync(file)) : readFileSync(file);
    const hash = createHash("sha256").update(bytes).digest("hex");
    if (bytes.length < MIN_SIZE || bytes.length > MAX_SIZE || bytes.includes(0) || seen.has(hash)) continue;
    seen.add(hash);
    texts.push({ id: String(texts.length), title: path.replaceAll("/", " "), text: bytes.toString("utf8") });
  }
  const step = Math.max(1, texts.length / DOCUMENTS);
  return Array.from({ length: Math.min(DOCUMENTS, texts.length) }, (_, n) => texts[Math.floor(n * step)]).filter(
    (text) => text !== undefined,
  );
}

interface KnownItem {
  query: string;
  /** The document with the passage from which the words are. */
  id: string;
}

/** Two to four words of one passage, each in at least three passages and in at most one of twenty. */
function knownItems(texts: readonly Text[]): KnownItem[] {
  const random = seeded(3);
  const passages = texts.flatMap(({ id, text }) => passagesOf(text).map((passage) => ({ id, passage })));
  const wordsOf = (text: string) => [...new Set(text.toLowerCase().match(/[a-z]{4,}/g) ?? [])];
  const frequency = new Map<string, number>();
  for (const { passage } of passages)
    for (const word of wordsOf(passage)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const isUseful = (word: string): boolean => {
    const count = frequency.get(word) ?? 0;
    return count >= 3 && count < passages.length / 20 && !isStopWord({ surface: word });
  };
  const items: KnownItem[] = [];
  for (let tries = 0; items.length < QUERIES && tries < 100 * QUERIES; tries += 1) {
    const chosen = texts[Math.floor(random() * texts.length)];
    const own = passages.filter(({ id }) => id === chosen?.id);
    const passage = own[Math.floor(random() * own.length)];
    const words = wordsOf(passage?.passage ?? "").filter(isUseful);
    if (passage === undefined || words.length < 8) continue;
    const query = new Set<string>();
    for (const count = 2 + Math.floor(random() * 3); query.size < count; )
      query.add(words[Math.floor(random() * words.length)] ?? "");
    items.push({ id: passage.id, query: `${[...query].join(" ")} ` });
  }
  return items;
}

/** A table of how well this service and other engines find the document from which the words of a query are. */
export async function measureKnownItems(): Promise<string> {
  const texts = readTexts();
  const items = knownItems(texts);
  const ours = await startOurs({ documents: texts });
  try {
    const rows: string[][] = [];
    for (const [name, search] of [["this service, `POST /v1/search`", ours.search] as const, ...peersOf(texts)]) {
      const ranked = await search(items.map(({ query }) => query));
      const ranks = items.map(({ id }, at) => reciprocalRank((ranked[at] ?? []).slice(0, 10), new Set([id])));
      const found = ranks.filter((rank) => rank > 0).length / Math.max(1, ranks.length);
      rows.push([name, mean(ranks).toFixed(3), found.toFixed(3)]);
    }
    return `${texts.length} texts of ${FOLDER}, ${items.length} queries of two to four words of one passage.\n\n${table(["engine", "MRR", "in the first ten"], rows)}`;
  } finally {
    await ours.stop();
  }
}
