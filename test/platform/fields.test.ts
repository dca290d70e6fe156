import { describe, expect, test } from "vitest";
import { z } from "zod";
import { emailSchema } from "../../src/access";
import { fileNameSchema } from "../../src/documents";
import { savableName } from "../../src/platform/file-names";
import { canonicalEmail, lineSchema, numberSchema } from "../../src/platform/http/fields";
import { idSchema, newId } from "../../src/platform/ids";
import { contentDisposition } from "../../src/platform/objects/store";
import { call, codeOf, expectJson } from "../support/call";
import { mintCluster, mintLocation, mintOrganization } from "../support/factories";
import fc from "../support/properties";

describe("a number of a query", () => {
  test.each(["0x10", "1e1", " 5", "5 ", "+5", "05", "5.0", "", "٥", "5_0", "Infinity", "NaN", "0b1", "-0", "1,000"])(
    "%j is refused",
    (text) => expect(numberSchema(0, 1_000).safeParse(text).success).toBe(false),
  );
  test("is read as JSON writes it, within its limits", () => {
    fc.assert(fc.property(fc.integer({ min: 0, max: 999 }), (n) => numberSchema(0, 999).parse(String(n)) === n));
    expect(numberSchema(1, 5).safeParse("0").success).toBe(false);
    expect(numberSchema(1, 5).safeParse("6").success).toBe(false);
    expect(numberSchema(1).safeParse("9007199254740993").success).toBe(false);
    expect(numberSchema(1, 5).default(3).parse(undefined)).toBe(3);
  });
});

test("an id is accepted in any case, and is in lower case from then on", () => {
  const id = newId();
  expect([id.toUpperCase(), id].map((text) => idSchema.parse(text))).toEqual([id, id]);
  for (const text of [`${id} `, id.replaceAll("-", ""), `{${id}}`, `urn:uuid:${id}`])
    expect(idSchema.safeParse(text).success).toBe(false);
});

describe("a name", () => {
  test.each([0x061c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069])(
    "may not have the direction character %s",
    (code) => {
      const name = `Ada${String.fromCodePoint(code)}gpj.exe`;
      expect(lineSchema(100).safeParse(name).success).toBe(false);
      expect(fileNameSchema.safeParse(name).success).toBe(false);
    },
  );
  test("is kept in NFC, with its joiners", () => {
    expect(lineSchema(100).parse(" Ame\u0301lie ")).toBe("Amélie");
    expect(lineSchema(100).parse("علی\u200cرضا")).toBe("علی\u200cرضا");
  });
  test("of a file has up to 255 characters, of any script", () => {
    for (const letter of ["x", "図", "ä", "é"]) {
      expect(fileNameSchema.safeParse(letter.repeat(255)).success).toBe(true);
      expect(fileNameSchema.safeParse(letter.repeat(256)).success).toBe(false);
    }
    expect(fileNameSchema.safeParse("🌊".repeat(220)).success).toBe(true);
  });
});

describe("the name of a download", () => {
  test.each([
    ["a*b?.txt", "a_b_.txt"],
    ['<1>:"2"|3\\4.pdf', "_1___2__3_4.pdf"],
    ["report.", "report_"],
    ["report. .", "report___"],
    ["CON", "_CON"],
    ["con.txt", "_con.txt"],
    ["COM1.tar.gz", "_COM1.tar.gz"],
    ["lpt².log", "_lpt².log"],
    ["aux .txt", "_aux .txt"],
    ["console.txt", "console.txt"],
    ["com10.txt", "com10.txt"],
    [".gitignore", ".gitignore"],
    ["Plan – Übersicht (2).pdf", "Plan – Übersicht (2).pdf"],
  ])("%j is %j", (name, safe) => {
    expect(savableName(name)).toBe(safe);
    expect(savableName(safe)).toBe(safe);
  });
  test("is the same in both forms of the header", () =>
    expect(contentDisposition("attachment", "ä*?.txt")).toBe(
      "attachment; filename=\"___.txt\"; filename*=UTF-8''%C3%A4__.txt",
    ));
});

describe("an e-mail address", () => {
  test.each([
    ["Ada@Example.ORG", "ada@example.org"],
    [" ada@example.org ", "ada@example.org"],
    ["Grüße@Müller.de", "grüße@xn--mller-kva.de"],
    ["grüße@xn--mller-kva.de", "grüße@xn--mller-kva.de"],
    ["Ju\u0308rgen@example.org", "jürgen@example.org"],
    ["用户@例子.广告", "用户@xn--fsqu00a.xn--4rr70v"],
    ["अजय@डाटा.भारत", "अजय@xn--c2bd1gb.xn--h2brj9c"],
    ["квіточка@пошта.укр", "квіточка@xn--80a1acn3a.xn--j1amh"],
    ["first.last+tag@sub.example.co.uk", "first.last+tag@sub.example.co.uk"],
  ])("%s is compared as %s", (given, canonical) => {
    expect(canonicalEmail(given)).toBe(canonical);
    expect(emailSchema.parse(given)).toBe(canonical);
    expect(canonicalEmail(canonical)).toBe(canonical);
  });
  test.each([
    ...["ada", "@example.org", "ada@", "ada@example", "a b@example.org", "ada@exa mple.org", "ada@@example.org"],
    ...[
      "ada@127.0.0.1",
      "ada@[::1]",
      "ada@example.org:80",
      "ada@example.org/x",
      "ada..b@example.org",
      ".ada@example.org",
    ],
    // These become another person's address in a comparison.
    ...[
      "\u212aim@example.org",
      "ﬁn@example.org",
      "ａda@example.org",
      "ada@ｅxample.org",
      "İda@example.org",
      "ſam@example.org",
    ],
    ...[
      "a\u202eda@example.org",
      "a\0da@example.org",
      "ada\n@example.org",
      `${"ü".repeat(40)}@example.org`,
      "\ud800@a.org",
    ],
    ...["a🌊b@example.org", `ada@${"a".repeat(64)}.org`, `ada@${"a.".repeat(130)}org`],
  ])("%j is refused", (text) => expect(canonicalEmail(text)).toBeNull());
  test("of any text is null or stays as it is", () =>
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string({ unit: "grapheme" })), (text) => {
        const canonical = canonicalEmail(text);
        return canonical === null || canonicalEmail(canonical) === canonical;
      }),
    ));
});

describe("a body", () => {
  const post = async (rawBody: string) => {
    const { owner, id } = await mintOrganization();
    const body = rawBody.replace("ORG", id);
    return call("POST", "/v1/spatial/clusters", { token: owner.token, body });
  };
  const withNumber = (text: string) => post(`{"organizationId":"ORG","name":"North","metadata":{"n":${text}}}`);

  test.each([
    "9007199254740993",
    "-9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "1e400",
    "-2E+999",
  ])("with the number %s is refused, because it would be rounded", async (text) => {
    const answer = await withNumber(text);
    expect(await answer.clone().text()).toContain(text);
    expect(await codeOf(answer)).toBe("400 validation-failed");
  });
  test.each([
    "9007199254740991",
    "-1234567890123456",
    "100000000000000000000",
    "1e20",
    "0.1234567890123456",
    "1.5e300",
  ])("with the number %s keeps it", async (text) => {
    const answer = await withNumber(text);
    expect(answer.status).toBe(201);
    expect(((await answer.json()) as { metadata: { n: number } }).metadata.n).toBe(Number(text));
  });
  test("with such a number in a text keeps it", async () =>
    expect((await withNumber('"a \\" 9223372036854775807"')).status).toBe(201));
});

test("a repeat under one Idempotency-Key may write its ids in another case", async () => {
  const { owner, id } = await mintOrganization();
  const headers = { "idempotency-key": newId() };
  const create = (organizationId: string) =>
    call("POST", "/v1/spatial/clusters", { token: owner.token, headers, body: { organizationId, name: "North" } });
  const [first, again] = [await create(id), await create(id.toUpperCase())];
  expect([first.status, again.status, again.headers.get("idempotency-replayed")]).toEqual([201, 201, "true"]);
  expect(await again.json()).toEqual(await first.json());
});

test("ids in queries and bodies are taken in any case, and answered in lower case", async () => {
  const { owner, id: organizationId } = await mintOrganization();
  const clusterId = await mintCluster({ organizationId });
  const location = z.looseObject({ clusterId: z.string() });
  const body = { clusterId: clusterId.toUpperCase(), name: "Quay" };
  const made = await expectJson(location, 201, "POST", "/v1/spatial/locations", { token: owner.token, body });
  expect(made.clusterId).toBe(clusterId);
  await mintLocation({ organizationId });
  const query = `organizationId=${organizationId.toUpperCase()}`;
  const list = z.object({ items: z.array(z.looseObject({ organizationId: z.string() })) });
  const { items } = await expectJson(list.loose(), 200, "GET", `/v1/spatial/clusters?${query}`, owner);
  expect(items.map((item) => item.organizationId)).toContain(organizationId);
});

test("an operation without a credential says so in the description", async () => {
  const operation = z.looseObject({ security: z.array(z.record(z.string(), z.array(z.string()))) });
  const described = z.looseObject({ paths: z.record(z.string(), z.record(z.string(), operation)) });
  const { paths } = described.parse(await (await call("GET", "/openapi.json")).json());
  expect(paths["/v1/auth/login"]?.post?.security).toEqual([]);
  expect(paths["/v1/orgs"]?.get?.security).toEqual([{ bearer: [] }]);
});

test("the hub answers at its address with a slash as without", async () => {
  const { owner } = await mintOrganization();
  const statuses = [];
  for (const path of ["/sync-hub", "/sync-hub/", "/sync-hub/?id=unknown", "/sync-hub?id=unknown"])
    statuses.push((await call("GET", path, { token: owner.token })).status);
  expect(statuses).toEqual([400, 400, 404, 404]);
});
