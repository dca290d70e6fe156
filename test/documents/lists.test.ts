import { env } from "cloudflare:workers";
import { eq, sql } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { documentSchema } from "../../src/documents/document";
import { DOCUMENT_SORTS, type DocumentQuery, named, planOf, readPage } from "../../src/documents/library/list";
import { MAX_EXAMINED_DOCUMENTS, MAX_LISTED_IDS } from "../../src/documents/limits";
import { kindOf, sortDocuments, sortNameOf } from "../../src/documents/sorting/sorting";
import { documents } from "../../src/documents/tables";
import { copyRow } from "../limits/fill";
import { call, codeOf, expectJson } from "../support/call";
import { uploadDocument } from "../support/documents";
import { mintDocument, mintGrant, mintLocation, mintOrganization, mintPerson, type Person } from "../support/factories";
import { systemContext } from "../support/jobs";
import fc from "../support/properties";
import { usedIndexes } from "../support/query-plans";
import { rowsRead } from "../support/rows-read";
import { testDatabase } from "../support/statements";

const page = z.object({ items: z.array(documentSchema), nextCursor: z.string().nullable() });

let organizationId: string;
let owner: Person;
let place: { id: string; clusterId: string };

beforeEach(async () => {
  const organization = await mintOrganization();
  ({ id: organizationId, owner } = organization);
  place = await mintLocation({ organizationId });
});

const mint = (fileName: string, more: Partial<typeof documents.$inferInsert> = {}) =>
  mintDocument({ organizationId }, place, [], { fileName, ...more });
const pathOf = (query: string) => `/v1/spatial/locations/${place.id}/documents?${query}`;
const listOf = (query: string, person = owner) => expectJson(page, 200, "GET", pathOf(query), person);

/** The names of all pages of a list. */
async function namesOf(query: string, person = owner): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const at: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const { items, nextCursor }: z.infer<typeof page> = await listOf(`${query}${at}`, person);
    names.push(...items.map(({ fileName }) => fileName));
    cursor = nextCursor;
  }
  return names;
}

describe("the order of file names", () => {
  test.each([
    [
      ["plan 10.pdf", "Plan 2.pdf", "plan 1.pdf"],
      ["plan 1.pdf", "Plan 2.pdf", "plan 10.pdf"],
    ],
    [
      ["b", "Äc", "ab"],
      ["ab", "Äc", "b"],
    ],
    [
      ["v1.10.2", "v1.9.30", "v1.9.4"],
      ["v1.9.4", "v1.9.30", "v1.10.2"],
    ],
    [
      ["IMG_0010", "img_9", "IMG_00002"],
      ["IMG_00002", "img_9", "IMG_0010"],
    ],
    [
      ["２.txt", "10.txt", "1.txt"],
      ["1.txt", "２.txt", "10.txt"],
    ],
  ])("%j", async (given, expected) => {
    for (const name of given) await mint(name);
    expect(await namesOf("sort=name&limit=1")).toEqual(expected);
    expect(await namesOf("sort=name&order=desc&limit=2")).toEqual([...expected].reverse());
  });

  test("numbers are in the order of their values, wherever they are", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.bigInt({ min: 0n, max: 10n ** 40n }), (a, b) => {
        const [x, y] = [sortNameOf(`File ${a} of`), sortNameOf(`file ${b} OF`)];
        expect(x < y).toBe(a < b);
        expect(x === y).toBe(a === b);
      }),
    );
  });

  test("no name has an empty key, and a key has a limited length", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 255 }), (name) => {
        const key = sortNameOf(name);
        expect(key).not.toBe("");
        expect(key.length).toBeLessThan(20 * name.length + 8);
      }),
    );
    expect(sortNameOf("\u0301")).toBe("\u0301");
  });
});

test.each([
  ["application/pdf", "a", "pdf"],
  ["image/png; x=1", "a.txt", "picture"],
  ["application/octet-stream", "Plan.DWG", "other"],
  ["application/octet-stream", "Table.XLSX", "spreadsheet"],
  ["text/csv", "a.txt", "spreadsheet"],
  ["text/markdown", "a", "text"],
  ["message/rfc822", "a", "mail"],
  ["application/epub+zip", "a", "text"],
  ["application/vnd.oasis.opendocument.spreadsheet-template", "a", "spreadsheet"],
  ["application/octet-stream", "a.otp", "presentation"],
  ["", "noending", "other"],
])("%s of %s is %s", (type, name, kind) => expect(kindOf(type, name)).toBe(kind));

test("each sorting, both ways and page by page, has all documents once", async () => {
  const people = [owner, await mintPerson(), null];
  const kinds = ["pdf", "picture", "other"] as const;
  for (let i = 0; i < 12; i += 1)
    await mint(`${i % 4}-${i}.pdf`, {
      path: `f${i % 3}`,
      kind: kinds[i % 3] ?? "other",
      sizeBytes: i % 5,
      updatedAt: 1_000 + (i % 2),
      createdBy: people[i % 3]?.userId ?? null,
    });
  const sortedBy = {
    path: ({ path, fileName }) => [path, fileName],
    name: ({ fileName }) => [sortNameOf(fileName)],
    kind: ({ kind, fileName }) => [kind, sortNameOf(fileName)],
    size: ({ id }) => [id],
    changed: ({ updatedAtUtc }) => [updatedAtUtc],
    addedBy: ({ createdBy, fileName }) => [createdBy ?? "", sortNameOf(fileName)],
  } satisfies Record<(typeof DOCUMENT_SORTS)[number], (one: z.infer<typeof documentSchema>) => string[]>;
  for (const sort of DOCUMENT_SORTS) {
    const { items } = await listOf(`sort=${sort}&limit=100`);
    expect(items).toHaveLength(12);
    const values = items.map((one) => JSON.stringify(sortedBy[sort](one)));
    if (sort !== "size") expect(values, sort).toEqual([...values].sort());
    const names = items.map(({ fileName }) => fileName);
    expect(await namesOf(`sort=${sort}&limit=5`), sort).toEqual(names);
    expect(await namesOf(`sort=${sort}&order=desc&limit=5`), sort).toEqual([...names].reverse());
  }
});

test("a cursor continues only the list of its order", async () => {
  await mint("a");
  await mint("b");
  const { nextCursor } = await listOf("sort=name&limit=1");
  for (const query of ["sort=size", "sort=name&order=desc", "sort=path"])
    expect(await codeOf(await call("GET", pathOf(`${query}&cursor=${nextCursor}`), owner))).toBe("400 invalid-cursor");
});

describe("filters", () => {
  test("select by kind, text, person, time and folder, together and each alone", async () => {
    const other = await mintPerson();
    await mint("a.pdf", { createdBy: owner.userId, updatedAt: 1_000, path: "plans" });
    await mint("b.png", { kind: "picture", createdBy: owner.userId, updatedAt: 2_000, path: "plans/old" });
    await mint("c.pdf", { textStatus: "recognized", createdBy: other.userId, updatedAt: 3_000 });
    const at = (ms: number) => encodeURIComponent(new Date(ms).toISOString());
    for (const [query, expected] of [
      ["kind=pdf", ["a.pdf", "c.pdf"]],
      ["kind=picture&sort=kind", ["b.png"]],
      ["textStatus=recognized", ["c.pdf"]],
      [`createdBy=${owner.userId}`, ["a.pdf", "b.png"]],
      [`createdBy=${owner.userId}&sort=addedBy`, ["a.pdf", "b.png"]],
      [`changedFromUtc=${at(2_000)}`, ["c.pdf", "b.png"]],
      [`changedBeforeUtc=${at(2_000)}&sort=changed`, ["a.pdf"]],
      ["path=plans", ["a.pdf", "b.png"]],
      ["path=plans&below=false", ["a.pdf"]],
      ["path=plans&sort=name", ["a.pdf", "b.png"]],
      ["below=false&sort=name", ["c.pdf"]],
      ["below=false&sort=size", ["c.pdf"]],
      [`kind=pdf&createdBy=${other.userId}&textStatus=recognized`, ["c.pdf"]],
    ] as const)
      expect((await namesOf(query)).sort(), query).toEqual([...expected].sort());
  });

  test("and sortings show a guest no more than the documents with a grant", async () => {
    const guest = await mintPerson();
    const seen = await mint("seen 2.pdf");
    await mint("hidden 1.pdf");
    await mintGrant({ organizationId }, guest.userId, "document", seen, { Documents: "Read" });
    for (const sort of DOCUMENT_SORTS)
      for (const filter of ["", "&kind=pdf", "&below=false", "&textStatus=unsupported"])
        expect(await namesOf(`sort=${sort}${filter}`, guest)).toEqual(["seen 2.pdf"]);
  });
});

const all: DocumentQuery = { limit: 50, path: "", below: true, sort: "path", order: "asc" };

describe("50,000 documents", () => {
  const COUNT = 50_000;

  async function fill(): Promise<void> {
    const id = await mint("first.pdf", { sortName: "first" });
    await copyRow("documents", id, COUNT - 1, {
      file_name: "printf('file %06d', i)",
      sort_name: "printf('file 006%06d', i)",
      size_bytes: "i * 7919 % 100000",
      updated_at: "i * 104729 % 100000",
    });
    await env.DB.prepare(
      `INSERT INTO document_versions SELECT d.id, v.version, v.object_key || d.id, v.file_name, v.content_type, v.size_bytes,
        v.checksum_sha256, 'none', NULL, NULL, NULL, NULL, NULL, NULL, v.created_at, 0, NULL
      FROM documents d, document_versions v WHERE d.location_id = ?1 AND v.document_id = ?2 AND d.id <> ?2`,
    )
      .bind(place.id, id)
      .run();
  }

  test("a page of each order reads some rows for each of its documents, wherever it begins, and MAX_EXAMINED_DOCUMENTS bounds filters", async () => {
    await fill();
    const base = sql`c.location_id = ${place.id}`;
    const middle: Record<(typeof DOCUMENT_SORTS)[number], readonly (string | number)[]> = {
      path: ["", "file 025000"],
      name: ["file 006025000", ""],
      kind: ["pdf", "file 006025000", ""],
      size: [50_000, ""],
      changed: [50_000, ""],
      addedBy: ["", "file 006025000", ""],
    };
    for (const sort of DOCUMENT_SORTS)
      for (const order of ["asc", "desc"] as const)
        for (const after of [null, middle[sort]]) {
          const plan = planOf(base, { ...all, sort, order }, after);
          let found = 0;
          const rows = await rowsRead(async (workspace) => {
            found = (await readPage(workspace, plan, 51)).length;
          });
          expect([sort, order, found]).toEqual([sort, order, 51]);
          expect(rows, `${sort} ${order} ${after}`).toBeLessThan(51 * 20);
        }
    const ids = await testDatabase()
      .select({ id: documents.id })
      .from(documents)
      .where(eq(documents.locationId, place.id))
      .limit(100);
    for (const sort of DOCUMENT_SORTS) {
      const plan = planOf(
        named(
          ids.map(({ id }) => id),
          place.id,
        ),
        { ...all, sort },
        null,
      );
      const rows = await rowsRead((workspace) => readPage(workspace, plan, 101));
      expect(rows, `named documents by ${sort}`).toBeLessThan(100 * 20);
    }
    const rare = planOf(base, { ...all, sort: "name", textStatus: "damaged" }, null);
    expect(await rowsRead((workspace) => readPage(workspace, rare, 51))).toBeLessThan(3 * MAX_EXAMINED_DOCUMENTS);

    // A filter that finds one document, at the end, gets there in bounded pages.
    await testDatabase()
      .update(documents)
      .set({ textStatus: "damaged" })
      .where(eq(documents.sortName, "file 006049000"));
    let [pages, cursor, names]: [number, string | null, string[]] = [0, "", []];
    while (cursor !== null) {
      const at: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const { items, nextCursor }: z.infer<typeof page> = await listOf(`sort=name&textStatus=damaged${at}`);
      names = [...names, ...items.map(({ fileName }) => fileName)];
      [pages, cursor] = [pages + 1, nextCursor];
    }
    expect(names).toEqual(["file 049000"]);
    expect(pages).toBe(COUNT / MAX_EXAMINED_DOCUMENTS + 1);
  });
});

const idPage = z.object({ items: z.array(z.string()), nextCursor: z.string().nullable() });

/** The ids of all pages of the list that has ids alone. */
async function idsOf(query: string, person = owner): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const at: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/v1/spatial/locations/${place.id}/documents/ids?${query}${at}`;
    const { items, nextCursor }: z.infer<typeof idPage> = await expectJson(idPage, 200, "GET", path, person);
    ids.push(...items);
    cursor = nextCursor;
  }
  return ids;
}

describe("named documents and ids", () => {
  const names = ["plan 10.pdf", "plan 2.pdf", "notes.pdf", "quay.pdf"];
  let made: string[];
  beforeEach(async () => {
    made = await Promise.all(names.map((name, n) => mint(name, { path: n % 2 === 0 ? "plans" : "" })));
  });

  test("a list of named documents has those that belong to it, in its order", async () => {
    const elsewhere = await mintDocument({ organizationId }, await mintLocation({ organizationId }), []);
    const ids = [...made.slice(0, 3), elsewhere, crypto.randomUUID()].join(",");
    expect(await namesOf(`sort=name&ids=${ids}`)).toEqual(["notes.pdf", "plan 2.pdf", "plan 10.pdf"]);
    expect(await namesOf(`sort=name&order=desc&path=plans&ids=${ids}`)).toEqual(["plan 10.pdf", "notes.pdf"]);
    expect(await namesOf(`sort=name&limit=1&ids=${ids}`)).toEqual(["notes.pdf", "plan 2.pdf", "plan 10.pdf"]);
    expect(await namesOf(`kind=sound&ids=${ids}`)).toEqual([]);
    const [id = ""] = made;
    expect((await call("DELETE", `/v1/documents/${id}`, { token: owner.token })).status).toBe(204);
    expect(await namesOf(`ids=${id}`)).toEqual([]);
    const many = Array.from({ length: 101 }, () => crypto.randomUUID()).join(",");
    expect(await codeOf(await call("GET", pathOf(`ids=${many}`), { token: owner.token }))).toBe(
      "400 validation-failed",
    );
  });

  test("a guest gets the named documents and the ids that are shared with them", async () => {
    const guest = await mintPerson();
    const [first = "", second = ""] = made;
    await mintGrant({ organizationId }, guest.userId, "document", second, { Documents: "Read" });
    expect(await namesOf(`ids=${first},${second}`, guest)).toEqual(["plan 2.pdf"]);
    expect(await idsOf("sort=name", guest)).toEqual([second]);
  });

  test("ids are in the order of the list, with its filters, over pages of any size", async () => {
    for (const query of [
      "sort=name",
      "sort=size&order=desc",
      "sort=path&path=plans",
      "sort=name&kind=pdf",
      "sort=name&below=false",
    ]) {
      const all = (await listOf(`${query}&limit=100`)).items.map(({ id }) => id);
      expect([query, await idsOf(query)]).toEqual([query, all]);
      expect([query, await idsOf(`${query}&limit=1`)]).toEqual([query, all]);
    }
    const above = `/v1/spatial/locations/${place.id}/documents/ids?limit=${MAX_LISTED_IDS + 1}`;
    expect(await codeOf(await call("GET", above, { token: owner.token }))).toBe("400 validation-failed");
  });

  test("MAX_LISTED_IDS ids are on a page", async () => {
    await copyRow("documents", made[0] ?? "", MAX_LISTED_IDS, { file_name: "printf('copy %06d', i)" });
    const path = `/v1/spatial/locations/${place.id}/documents/ids`;
    const { items, nextCursor } = await expectJson(idPage, 200, "GET", path, owner);
    expect(items).toHaveLength(MAX_LISTED_IDS);
    expect(nextCursor).not.toBeNull();
    expect(new Set(await idsOf("")).size).toBe(MAX_LISTED_IDS + made.length);
  });
});

test("each order has its own index", async () => {
  const base = sql`c.location_id = ${place.id}`;
  const indexes = {
    path: "documents_by_path",
    name: "documents_by_name",
    kind: "documents_by_kind",
    size: "documents_by_size",
    changed: "documents_by_change",
    addedBy: "documents_by_person",
  };
  const { workspace } = systemContext();
  for (const sort of DOCUMENT_SORTS)
    expect(await usedIndexes(readPage(workspace, planOf(base, { ...all, sort }, null), 20).toSQL().sql)).toContain(
      indexes[sort],
    );
  const inFolder = planOf(base, { ...all, sort: "name", below: false, path: "plans" }, null);
  expect(await usedIndexes(readPage(workspace, inFolder, 20).toSQL().sql)).toContain("documents_by_folder");
});

test("a new version gives a document its kind and size, a new name its place, and the job fills older rows", async () => {
  const file = { fileName: "b 2.txt", bytes: "12345" };
  const { id } = await uploadDocument(owner.token, place.id, file);
  const row = async () => (await testDatabase().select().from(documents).where(eq(documents.id, id)))[0];
  expect(await row()).toMatchObject({ kind: "text", sizeBytes: 5, sortName: sortNameOf("b 2.txt") });
  await uploadDocument(owner.token, place.id, { ...file, bytes: "123", contentType: "text/csv" });
  expect(await row()).toMatchObject({ kind: "spreadsheet", sizeBytes: 3 });
  await call("PATCH", `/v1/documents/${id}`, { token: owner.token, body: { fileName: "a 10.txt" } });
  expect(await row()).toMatchObject({ kind: "spreadsheet", sortName: sortNameOf("a 10.txt") });

  await testDatabase().update(documents).set({ sortName: "", kind: "other", sizeBytes: 0 }).where(eq(documents.id, id));
  const context = systemContext();
  const outcome = await sortDocuments.run(context, { payload: {}, state: null } as never);
  await (outcome as { change?: { commit(): Promise<unknown> } }).change?.commit();
  expect(await row()).toMatchObject({ kind: "spreadsheet", sizeBytes: 3, sortName: sortNameOf("a 10.txt") });
});
