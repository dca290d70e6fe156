import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { runBatch } from "../../src/platform/db/database";
import { accessScopeOf } from "../../src/search/access-scope";
import { readContexts, readFrequencies } from "../../src/search/completions";
import { withIndexes } from "../../src/search/guests";
import * as search from "../../src/search/limits";
import { parseQuery } from "../../src/search/query";
import { rank } from "../../src/search/ranking";
import { suggestionsResponse } from "../../src/search/schemas";
import { queryWordsOf } from "../../src/search/text";
import { bodyField } from "../../src/search/text/terms";
import { buildGuests } from "../search/guest-index";
import { callerFor } from "../search/rows-read";
import { indexTenant, searchAs } from "../search/searching";
import { expectJson } from "../support/call";
import { mintDocument, mintLocation, mintMember, mintOrganization } from "../support/factories";
import { systemContext } from "../support/jobs";

/** Words that begin with `inf` and have no stem in common. */
const words = (count: number): string[] => {
  const letters = "bcdfghjklmnpqrtv";
  const digits = (n: number) => [n >> 8, (n >> 4) & 15, n & 15].map((digit) => letters[digit]).join("");
  return Array.from({ length: count }, (_, n) => `inf${digits(n)}x`);
};

/** An organization with these documents, each of some pages. */
async function library(
  documents: readonly (readonly string[])[],
  more: { fileName?: string; description?: string } = {},
) {
  const { id: organizationId, owner } = await mintOrganization();
  const tenant = { organizationId };
  const { fileName = "x.pdf", description = "" } = more;
  const location = await mintLocation(tenant, { name: "Yard", description });
  for (const [n, pages] of documents.entries())
    await mintDocument(
      tenant,
      location,
      pages.map((page) => [page]),
      { fileName: `${n} ${fileName}` },
    );
  await indexTenant(organizationId);
  const access = async () => {
    const scope = accessScopeOf(await callerFor(owner.userId), { includeShared: true });
    if (scope === null) throw new Error("the owner may find nothing");
    return scope;
  };
  const suggest = async (term: string) => {
    const given = { ...owner, body: { term } };
    return (await expectJson(suggestionsResponse, 200, "POST", "/v1/search/suggestions", given)).suggestions;
  };
  return { organizationId, owner, access, suggest };
}

/** The rows of a statement. */
const rowsOf = async (statement: Parameters<typeof runBatch>[1][number] | null): Promise<Record<string, unknown>[]> => {
  if (statement === null) throw new Error("no statement");
  const [result] = await runBatch(systemContext().workspace, [statement]);
  return (result?.results ?? []) as Record<string, unknown>[];
};
const lastWord = (text: string) => queryWordsOf(text).at(-1) ?? expect.fail("no word");

describe("GRANTS_WITHOUT_INDEX: a guest with one grant more has an index", () => {
  /** A guest with this many grants whose index is there already. */
  async function guestWith(grants: number) {
    const { id } = await mintOrganization();
    const { userId } = await mintMember(id, "guest");
    await env.DB.prepare(
      `INSERT INTO grants (id, user_id, target, target_id, tenant_id, organization_id, capabilities, created_at)
       SELECT lower(hex(randomblob(16))), ?1, 'location', lower(hex(randomblob(16))), ?2, ?2, '{"Documents":"Read"}', 0 FROM json_each(?3)`,
    )
      .bind(userId, id, JSON.stringify(Array.from({ length: grants }, (_, n) => n)))
      .run();
    return { id, userId };
  }
  const mostGrants = search.GRANTS_WITHOUT_INDEX;

  test("and a search looks for it", async () => {
    const looksFor = async (grants: number) => {
      const { id, userId } = await guestWith(grants);
      await env.DB.prepare("INSERT OR IGNORE INTO search_guests (user_id, organization_id) VALUES (?, ?)")
        .bind(userId, id)
        .run();
      await env.DB.prepare("UPDATE search_guests SET current = 1 WHERE user_id = ?").bind(userId).run();
      const caller = await callerFor(userId);
      return withIndexes(systemContext(), caller, true, async (indexes) => indexes.length);
    };
    expect([await looksFor(mostGrants), await looksFor(mostGrants + 1)]).toEqual([0, 1]);
  });

  test("and the job builds it", async () => {
    const targetsOf = async (grants: number) => {
      const { id, userId } = await guestWith(grants);
      await env.DB.prepare("INSERT OR IGNORE INTO search_guests (user_id, organization_id) VALUES (?, ?)")
        .bind(userId, id)
        .run();
      await buildGuests();
      const found = await env.DB.prepare(
        "SELECT count(*) AS n FROM search_guest_targets JOIN search_guests ON key = guest_key WHERE user_id = ?",
      )
        .bind(userId)
        .first<{ n: number }>();
      return found?.n;
    };
    expect([await targetsOf(mostGrants), await targetsOf(mostGrants + 1)]).toEqual([0, mostGrants + 1]);
  });
});

test("MAX_CORRECTIONS: one more misspelt word of a query stays", async () => {
  const right = ["girder", "lantern", "harbour", "caisson", "mooring", "pilot"];
  const { owner } = await library([[right.join(" ")]]);
  const typed = right.map((word) => `${word.slice(0, -1)}${word.endsWith("x") ? "y" : "x"}`);
  for (const count of [search.MAX_CORRECTIONS, search.MAX_CORRECTIONS + 1]) {
    const { correctedTerm } = await searchAs(owner.token, `${typed.slice(0, count).join(" ")} `);
    const corrected = right.filter((word) => correctedTerm?.includes(word));
    expect(corrected).toHaveLength(search.MAX_CORRECTIONS);
  }
});

test("MAX_PARTS_OF_TEXT: a text of many compounds has no more of their parts", () => {
  const parts =
    "Wasser Leitung Kabel Kanal Keller Fenster Stahl Träger Haus Meister Mauer Werk Bau Leiter Dach Rinne Holz Glas Beton Sand Wind Licht Strom Pumpe Motor Gitter Kasten Rahmen".split(
      " ",
    );
  const compounds = parts.flatMap((one) =>
    parts.flatMap((other) => (one === other ? [] : [one + other.toLowerCase()])),
  );
  const found = bodyField(`${parts.join(" und ")}. ${compounds.join(" und ")}`, "german").parts.split(" ");
  expect(found).toHaveLength(search.MAX_PARTS_OF_TEXT);
});

test("MAX_SCORED_SECTIONS: the passages of no more sections are scored", async () => {
  const { access } = await library(Array.from({ length: search.MAX_SCORED_SECTIONS + 2 }, () => ["gantry crane"]));
  const wanted = { limit: 100, after: null, documentId: null };
  const { hits } = await rank(systemContext(), await access(), parseQuery("gantry "), wanted);
  const best = Math.max(...hits.map(({ score }) => score));
  expect(hits).toHaveLength(search.MAX_SCORED_SECTIONS + 2);
  expect(hits.filter(({ score }) => score === best)).toHaveLength(search.MAX_SCORED_SECTIONS);
});

test("MAX_RESULTS: a query has no more results with their passages", async () => {
  const { owner } = await library([Array.from({ length: search.MAX_RESULTS + 2 }, (_, n) => `gantry ${n}`)]);
  const { results } = await searchAs(owner.token, "gantry ");
  expect(results.map(({ passageCount }) => passageCount)).toEqual([search.MAX_RESULTS]);
});

test("MAX_TYPED_LENGTH: a suggestion continues no more characters of a longer term", async () => {
  const { suggest } = await library([["inflow"]]);
  const length = async (typed: number) => (await suggest(`${" ".repeat(typed - 3)}inf`))[0]?.text.length;
  const most = search.MAX_TYPED_LENGTH;
  expect([await length(most), await length(most + 1)]).toEqual([most + 3, most + 3]);
});

test("MAX_TITLE_WORDS: a title must contain no more of the words before the last one", async () => {
  const known = words(search.MAX_TITLE_WORDS - 1);
  const { suggest } = await library([["nothing"]], { fileName: `${known.join(" ")} lantern.pdf` });
  const titles = async (typed: string) => (await suggest(typed)).filter(({ resultId }) => resultId !== null).length;
  expect(await titles(`absent ${known.join(" ")} lan`)).toBe(0);
  expect(await titles(`absent ${known[0]} ${known.join(" ")} lan`)).toBe(1);
});

describe("of many words that begin with the typed letters", () => {
  test("MAX_READ_OCCURRENCES: no more occurrences are read", async () => {
    const { access } = await library([], { description: "inflow ".repeat(search.MAX_READ_OCCURRENCES + 20) });
    const rows = await rowsOf(readFrequencies(await access(), lastWord("inf")));
    expect(rows.reduce((sum, { weight }) => sum + Number(weight), 0)).toBe(search.MAX_READ_OCCURRENCES);
  });

  test("MAX_COMPLETIONS_READ: no more words are read", async () => {
    const { access } = await library([], { description: words(search.MAX_COMPLETIONS_READ + 20).join(" ") });
    const rows = await rowsOf(readFrequencies(await access(), lastWord("inf")));
    expect(rows).toHaveLength(search.MAX_COMPLETIONS_READ);
  });

  test("MAX_CONTEXTS: no more sections with the word before are read", async () => {
    const { access } = await library([Array.from({ length: search.MAX_CONTEXTS + 2 }, () => "gantry inflow")]);
    expect(await rowsOf(readContexts(await access(), queryWordsOf("gantry")))).toHaveLength(search.MAX_CONTEXTS);
  });

  test("MAX_SUGGESTIONS and MAX_WORD_SUGGESTIONS: no more are suggested, and titles leave room for some words", async () => {
    const texts = words(search.MAX_SUGGESTIONS + 2).join(" ");
    const kinds = (given: readonly { resultId: string | null }[]) =>
      [given.filter(({ resultId }) => resultId === null).length, given.length] as const;
    const plain = await library([[texts]]);
    expect(kinds(await plain.suggest("inf"))).toEqual([search.MAX_SUGGESTIONS, search.MAX_SUGGESTIONS]);
    const titled = await library(
      Array.from({ length: 8 }, () => [texts]),
      { fileName: "inflow.pdf" },
    );
    expect(kinds(await titled.suggest("inf"))).toEqual([search.MAX_WORD_SUGGESTIONS, search.MAX_SUGGESTIONS]);
  });
});
