import { describe, expect, test } from "vitest";
import {
  mintAnnotation,
  mintCluster,
  mintDocument,
  mintLocation,
  mintMember,
  mintOrganization,
} from "../support/factories";
import { found, indexTenant, searchAs } from "./searching";

async function world() {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const clusterId = await mintCluster(tenant, { name: "Harbour crossing", description: "Steel viaducts" });
  const location = await mintLocation(tenant, { clusterId, name: "North viaduct", address: "Quay 7, Bremen" });
  const member = await mintMember(organization.id);
  return { organization, tenant, location, clusterId, token: member.token };
}

describe("search", () => {
  test("returns all five types of results with their fields", async () => {
    const { organization, tenant, location, clusterId, token } = await world();
    const documentId = await mintDocument(
      tenant,
      location,
      ["General remarks about the weather.", "The viaduct's bearings were replaced in <2019> & inspected again."],
      { fileName: "Inspection report.pdf", path: "reports/2024" },
    );
    const annotationId = await mintAnnotation(tenant, location, { title: "Crack in viaduct", body: "Pier 4, 2 mm" });
    await indexTenant(organization.id);

    const { results, searchId, nextCursor } = await searchAs(token, "viaduct");
    expect(searchId).toMatch(/^[0-9a-f-]{36}$/);
    expect(nextCursor).toBeNull();
    expect(new Set(results.map(({ resultId }) => resultId))).toEqual(
      new Set([
        `cluster:${clusterId}`,
        `location:${location.id}`,
        `spatialmetadata:${annotationId}`,
        `documentcontent:${documentId}.1`,
      ]),
    );
    expect(results.map(({ rankPosition }) => rankPosition)).toEqual([1, 2, 3, 4]);
    const content = results.find(({ resultType }) => resultType === "DocumentContent");
    expect(content).toMatchObject({
      title: "Inspection report.pdf",
      subtitle: "documents/reports/2024/Inspection report.pdf",
      source: { documentId, pageNumber: 2, chunkIndex: 1 },
      organizationId: organization.id,
      clusterId,
      locationId: location.id,
    });
    expect(content?.snippet).toBe(
      "The <mark>viaduct</mark>&#39;s bearings were replaced in &lt;2019&gt; &amp; inspected again.",
    );

    const [first] = (await searchAs(token, "inspection report")).results;
    expect(first).toMatchObject({ resultId: `document:${documentId}`, source: { documentId } });
  });

  test("understands phrases, exclusions, prefixes, stems, accents and scripts without spaces", async () => {
    const { organization, tenant, location, token } = await world();
    const mint = (text: string) => mintDocument(tenant, location, [text]);
    const [a, b, c, d, e] = await Promise.all([
      mint("expansion joint sealed"),
      mint("joint venture for expansion"),
      mint("Les façades élégantes de la Médina"),
      mint("東京都の橋梁点検報告書"),
      mint("पुल का निरीक्षण"),
    ]);
    await indexTenant(organization.id);
    const contents = async (term: string) =>
      new Set((await found(token, term)).map((id) => id.replace(/^documentcontent:|\.\d+$/g, "")));
    expect(await contents("expansion joint ")).toEqual(new Set([a, b]));
    expect(await contents('"expansion joint"')).toEqual(new Set([a]));
    expect(await contents("joint -venture")).toEqual(new Set([a]));
    expect(await contents("exp* -venture")).toEqual(new Set([a]));
    expect(await contents("expansio")).toEqual(new Set([a, b]));
    expect(await contents("expanding joints ")).toEqual(new Set([a, b]));
    expect(await contents("FACADE élégant ")).toEqual(new Set([c]));
    expect(await contents("橋梁")).toEqual(new Set([d]));
    expect(await contents("निरीक्षण")).toEqual(new Set([e]));
  });

  test("finds texts by a copied passage, although they have neither its quotations nor the word after its dash", async () => {
    const { organization, tenant, location, token } = await world();
    const documentId = await mintDocument(tenant, location, ["A lexical subsystem corrects the words of queries."]);
    await indexTenant(organization.id);
    const passage = (
      quoted: string,
    ) => `We introduce a lexical subsystem as a separate component of an information system. It plays
      the role of a ${quoted} in a broad sense, and it promotes the integration of several sources. We hope that such
      subsystems become useful for any large system.`;
    for (const quoted of [
      '"linguistic filter"',
      "„linguistischer Filter“",
      "«filtre linguistique»",
      "filter -queries -",
    ])
      expect([quoted, (await searchAs(token, passage(quoted))).results[0]?.resultId]).toEqual([
        quoted,
        `documentcontent:${documentId}.0`,
      ]);
    // A question with a phrase stays a query, however many words it has, and so do two short sentences.
    const question = `${passage("lens").replaceAll(".", ",")} "linguistic filter"`;
    for (const term of [question, 'We introduce a lexical subsystem. It is a "linguistic filter".'])
      expect((await searchAs(token, term)).results).toEqual([]);
  });

  test("completes a typed word to a stem that is the stem of the typed letters in another language", async () => {
    const { organization, tenant, location, token } = await world();
    // The stem of "expansion" is "expans" in English and French. The stem of "expansio" in Italian is the same.
    const documentId = await mintDocument(tenant, location, ["expansion joint sealed"], { fileName: "Joint.pdf" });
    await indexTenant(organization.id);
    const { results, correctedTerm } = await searchAs(token, "expansio");
    expect(results.map(({ resultId }) => resultId)).toEqual([`documentcontent:${documentId}.0`]);
    expect(correctedTerm).toBeNull();
  });

  test("returns one Document and at most its three best passages", async () => {
    const { organization, tenant, location, token } = await world();
    const texts = Array.from({ length: 8 }, (_, i) => `girder ${"weld ".repeat(i + 1)}number ${i}`);
    const documentId = await mintDocument(tenant, location, texts, { fileName: "Girder.pdf" });
    await indexTenant(organization.id);
    const ids = await found(token, "girder ");
    expect(ids).toHaveLength(4);
    expect(ids[0]).toBe(`document:${documentId}`);
  });

  test("a document has one score, of its title and text together, whatever else matches", async () => {
    const { organization, tenant, location, token } = await world();
    const words = ["penstock", "trashrack", "surge", "turbine"];
    await Promise.all(
      Array.from({ length: 12 }, (_, i) => {
        const text = `The ${words[i % 4]} and ${words[(i + 1) % 4]} of unit ${i}. ${"Water runs. ".repeat(i * 3)}`;
        return mintDocument(tenant, location, [text], { fileName: `${words[(i * 7) % 4]} ${i}.pdf` });
      }),
    );
    // Cards without a text, which share the words, do not change the statistics of texts.
    await Promise.all(words.map((word) => mintDocument(tenant, location, [], { fileName: `${word} photo.jpg` })));
    await mintAnnotation(tenant, location, { title: "penstock", body: "surge" });
    await indexTenant(organization.id);
    for (const term of ["penstock ", "penstock turbine ", "surge trashrack turbine "]) {
      const scores = async (resultTypes?: ("Document" | "DocumentContent")[]) => {
        const { results } = await searchAs(token, term, { limit: 100, scope: { resultTypes } });
        const ofTexts = results.filter(({ title }) => /\d\.pdf$/.test(title));
        return new Map(ofTexts.map(({ title, score }) => [title, score]));
      };
      const [all, texts] = [await scores(), await scores(["DocumentContent"])];
      expect(all.size).toBeGreaterThan(5);
      expect([...all.keys()], term).toEqual([...texts.keys()]);
      for (const [title, score] of all) expect(score, title).toBeCloseTo(texts.get(title) ?? 0, 5);
    }
  });

  test("finds and ranks texts that miss a word of the query, however many have all words", async () => {
    const { organization, tenant, location, token } = await world();
    const mint = (text: string, fileName?: string) =>
      mintDocument(tenant, location, [text], fileName === undefined ? {} : { fileName });
    const long = `culvert and ${"gravel ".repeat(40)} spillway`;
    const whole = await Promise.all(Array.from({ length: 24 }, (_, i) => mint(`${long} ${i}`)));
    const rare = await mint("spillway spillway spillway", "Spillway.pdf");
    const common = await mint("a culvert of the road");
    await indexTenant(organization.id);
    const { results, total } = await searchAs(token, "culvert spillway ", { limit: 100 });
    const order = results.map(({ source }) => source?.documentId ?? "");
    expect(new Set(order)).toEqual(new Set([...whole, rare, common]));
    expect(total).toEqual({ count: 26, isExact: true });
    // If a text is about a word and named after it, it comes before the other texts with this word.
    expect(order.indexOf(rare)).toBeLessThan(order.indexOf(common));
    expect(results[order.indexOf(rare)]?.passageCount).toBe(1);
  });

  test("pages through results without a gap or a repeat", async () => {
    const { organization, tenant, location, token } = await world();
    await Promise.all(Array.from({ length: 25 }, (_, i) => mintDocument(tenant, location, [`asphalt layer ${i % 5}`])));
    await indexTenant(organization.id);
    const whole = await found(token, "asphalt", { limit: 100 });
    expect(whole).toHaveLength(25);
    const paged: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await searchAs(token, "asphalt", { limit: 7, ...(cursor === null ? {} : { cursor }) });
      expect(page.results[0]?.rankPosition).toBe(paged.length + 1);
      paged.push(...page.results.map(({ resultId }) => resultId));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(paged).toEqual(whole);
  });
});
