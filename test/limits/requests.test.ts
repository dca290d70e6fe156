import { expect, test } from "vitest";
import { z } from "zod";
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from "../../src/platform/db/cursor";
import { MAX_JSON_BODY_BYTES } from "../../src/platform/http/middleware";
import { MAX_REPORT_BODY_BYTES } from "../../src/reports/limits";
import { call, codeOf, expectJson } from "../support/call";
import { mintCluster, mintPerson } from "../support/factories";
import { copyRow } from "./fill";

const PATH = "/v1/spatial/clusters";
const page = z.object({ items: z.array(z.unknown()) });

/** A person with this many clusters, and the number of them on a page. */
async function pageOf(count: number, query: string): Promise<number> {
  const { userId, token } = await mintPerson();
  await copyRow("clusters", await mintCluster({ ownerUserId: userId }), count - 1);
  return (await expectJson(page, 200, "GET", `${PATH}${query}`, { token })).items.length;
}

test("DEFAULT_PAGE_SIZE", async () => {
  expect(await pageOf(DEFAULT_PAGE_SIZE + 5, "")).toBe(DEFAULT_PAGE_SIZE);
});

test("MAX_PAGE_SIZE", async () => {
  expect(await pageOf(MAX_PAGE_SIZE + 5, `?limit=${MAX_PAGE_SIZE}`)).toBe(MAX_PAGE_SIZE);
  const { token } = await mintPerson();
  expect(await codeOf(await call("GET", `${PATH}?limit=${MAX_PAGE_SIZE + 1}`, { token }))).toBe(
    "400 validation-failed",
  );
});

test("the results of a search: MAX_PAGE_SIZE", async () => {
  const { token } = await mintPerson();
  const ask = (limit: number) => call("POST", "/v1/search", { token, body: { term: "girder", limit } });
  expect((await ask(MAX_PAGE_SIZE)).status).toBe(200);
  expect(await codeOf(await ask(MAX_PAGE_SIZE + 1))).toBe("400 validation-failed");
});

/** JSON of exactly this many bytes. */
const bodyOf = (bytes: number): string => `{"name":"Yard"${" ".repeat(bytes - 15)}}`;

test.each([
  ["MAX_JSON_BODY_BYTES", MAX_JSON_BODY_BYTES, PATH],
  ["MAX_REPORT_BODY_BYTES", MAX_REPORT_BODY_BYTES, "/v1/reports/templates/users/me"],
])("%s", async (_, most, path) => {
  const { token } = await mintPerson();
  const statusOf = async (bytes: number) => (await call("POST", path, { token, body: bodyOf(bytes) })).status;
  expect([201, 400]).toContain(await statusOf(most));
  expect(await statusOf(most + 1)).toBe(413);
});
