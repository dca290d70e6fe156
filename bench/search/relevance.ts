import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import { PassageBuilder } from "../../src/documents/extraction/passages";
import { isStopWord } from "../../src/search/text";
import { table } from "../support/results.ts";
import { type Collection, readCollection } from "./collection.ts";
import { mean, ndcgAt10, reciprocalRank, seeded } from "./metrics.ts";
import { type Engine, peersOf } from "./peers.ts";
import { addDocument, addMember, addOrganization, addPerson, addPlace } from "./rows.ts";
import { BenchService, makeDatabase } from "./service.ts";

const PORT = 8841;

/** Queries of one user: below the limit of 600 in a minute. */
const [PEOPLE, QUERIES_A_PERSON] = [4, 300];

const answer = z.object({ results: z.array(z.object({ source: z.object({ documentId: z.string() }).nullable() })) });
const slice = z.object({ state: z.unknown(), progress: z.object({ done: z.int(), total: z.int() }).optional() });

/** The passages that the extraction makes of a text without pages. */
export function passagesOf(text: string): string[] {
  const builder = new PassageBuilder(0);
  for (const paragraph of text.split(/\n\s*\n/)) builder.add(null, paragraph);
  builder.flush();
  return builder.take().map((passage) => passage.text);
}

/** The real endpoint, with the collection as documents of one organization. */
export async function startOurs({
  documents,
}: Pick<Collection, "documents">): Promise<{ search: Engine; stop: () => Promise<void> }> {
  const state = await mkdtemp(join(tmpdir(), "bench-search-"));
  const db = new DatabaseSync(makeDatabase(state));
  const organizationId = addOrganization(db);
  const people = Array.from({ length: PEOPLE }, () => addPerson(db));
  for (const { userId } of people) addMember(db, organizationId, userId);
  const place = addPlace(db, organizationId);
  const ids = new Map<string, string>();
  db.exec("BEGIN");
  for (const { id, title, text } of documents) ids.set(addDocument(db, place, title, passagesOf(text)).id, id);
  db.exec("COMMIT");
  db.close();
  const service = await BenchService.start(state, PORT);
  for (const kind of ["assets", "documents"])
    for (let at: unknown = null; ; ) {
      at = slice.parse(await service.post("/bench/backfill", { kind, state: at })).state;
      if (at === null) break;
    }
  let asked = 0;
  return {
    search: async (terms) => {
      const ranked: string[][] = [];
      for (const term of terms) {
        const { token } = people[Math.floor(asked++ / QUERIES_A_PERSON)] ?? { token: "" };
        const { results } = answer.parse(await service.post("/v1/search", { term, limit: 60 }, token));
        ranked.push([...new Set(results.map(({ source }) => ids.get(source?.documentId ?? "") ?? ""))]);
      }
      return ranked;
    },
    stop: async () => {
      await service.stop();
      rmSync(state, { recursive: true });
    },
  };
}

/** Words in fewer documents than this are not typed: they find their document in every engine. */
const MIN_DOCUMENTS = 3;

/** The three rarest words of each query without function words, in its order; words of MIN_DOCUMENTS documents first. */
function threeWords({ documents, queries }: Collection): Map<string, string> {
  const words = (text: string) => [...new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])];
  const frequency = new Map<string, number>();
  for (const { title, text } of documents)
    for (const word of words(`${title} ${text}`)) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const of = (word: string): number => frequency.get(word) ?? 0;
  const rarest = (text: string) => {
    const known = words(text).filter((word) => word.length > 2 && of(word) > 0 && !isStopWord({ surface: word }));
    const sorted = [...known].sort((a, b) => of(a) - of(b) || (a < b ? -1 : 1));
    const common = sorted.filter((word) => of(word) >= MIN_DOCUMENTS);
    const chosen = new Set([...common, ...sorted.filter((word) => of(word) < MIN_DOCUMENTS)].slice(0, 3));
    return known.filter((word) => chosen.has(word));
  };
  return new Map(queries.map(({ id, text }) => [id, rarest(text).join(" ")]));
}

/** Makes one edit in the longest word of each query: drops, doubles, replaces or swaps a letter. */
function misspelt({ queries }: Collection): Map<string, string> {
  const random = seeded(7);
  const spoil = (word: string) => {
    const at = 1 + Math.floor(random() * (word.length - 2));
    const letter = String.fromCharCode(97 + Math.floor(random() * 26));
    const [a, b, rest] = [word.slice(0, at), word[at] ?? "", word.slice(at + 1)];
    return (
      [a + rest, a + b + b + rest, a + letter + rest, a + (rest[0] ?? "") + b + rest.slice(1)][
        Math.floor(random() * 4)
      ] ?? word
    );
  };
  return new Map(
    queries.map(({ id, text }) => {
      const longest = (text.match(/[a-z]{5,}/g) ?? []).sort((a, b) => b.length - a.length)[0];
      return [id, longest === undefined ? text : text.replace(longest, spoil(longest))];
    }),
  );
}

/**
 * A table with nDCG@10 and MRR of this service and of other engines for a collection; null without the collection.
 */
export async function measureRelevance(folder: string): Promise<string | null> {
  const collection = readCollection(folder);
  if (collection === null) return null;
  const ours = await startOurs(collection);
  const engines: [string, Engine][] = [
    ["this service, `POST /v1/search`", ours.search],
    ...peersOf(collection.documents),
  ];
  const kinds = [
    new Map(collection.queries.map(({ id, text }) => [id, text])),
    threeWords(collection),
    misspelt(collection),
  ];
  const rows: string[][] = [];
  try {
    for (const [name, search] of engines) {
      const cells: string[] = [];
      let full = 0;
      for (const [k, queries] of kinds.entries()) {
        const [gains, ranks]: [number[], number[]] = [[], []];
        const answers = await search([...queries.values()]);
        for (const [at, id] of [...queries.keys()].entries()) {
          const ranked = answers[at] ?? [];
          const relevant = collection.relevant.get(id) ?? new Set<string>();
          gains.push(ndcgAt10(ranked, relevant));
          ranks.push(reciprocalRank(ranked, relevant));
        }
        if (k === 0) full = mean(gains);
        const kept = k === 2 ? ` (${((100 * mean(gains)) / full).toFixed(1)} %)` : "";
        cells.push(`${mean(gains).toFixed(3)}${kept}`, mean(ranks).toFixed(3));
      }
      rows.push([name, ...cells]);
      console.log(rows.at(-1)?.join(" | "));
    }
  } finally {
    await ours.stop();
  }
  const head = [
    "engine",
    "full nDCG@10",
    "MRR",
    "three words nDCG@10",
    "MRR",
    "misspelt nDCG@10 (kept of full)",
    "MRR",
  ];
  return `${collection.documents.length} documents, ${collection.queries.length} queries.\n\n${table(head, rows)}`;
}
