import { describe, expect, test } from "vitest";
import { z } from "zod";
import { expectJson } from "../support/call";
import { undescribed } from "../support/described";
import { mintOrganization } from "../support/factories";

const page = z.looseObject({ items: z.array(z.looseObject({ id: z.string() })) });

/** An answer as the service gives it: organizations, each with an object inside. */
async function answered() {
  const { owner } = await mintOrganization();
  return expectJson(page, 200, "GET", "/v1/orgs", { token: owner.token });
}
const compared = (body: unknown, status = 200, type = "application/json") =>
  undescribed("GET", "/v1/orgs", status, type, JSON.stringify(body));

describe("an answer that is not as described is found", () => {
  test("with a field more, at any depth", async () => {
    const body = await answered();
    expect(compared(body)).toEqual([]);
    expect(compared({ ...body, total: 1 })).toEqual([expect.stringMatching(/^GET \/v1\/orgs 200: \/ .*"total"/)]);
    expect(compared({ ...body, items: body.items.map((item) => ({ ...item, more: 1 })) })).toEqual([
      expect.stringMatching(/^GET \/v1\/orgs 200: \/items\/0 .*"more"/),
    ]);
  });

  test("without a field, and with one of another type", async () => {
    const body = await answered();
    const [{ id, ...rest } = { id: "" }] = body.items;
    expect(compared({ ...body, items: [rest] })[0]).toMatch(/\/items\/0 .*'id'/);
    expect(compared({ ...body, items: [{ ...rest, id: 1 }] })[0]).toMatch(/\/items\/0\/id must be string/);
    expect(id).not.toBe("");
  });

  test("with another status or media type", async () => {
    const body = await answered();
    expect(compared(body, 201)).toEqual(["GET /v1/orgs 201: the status is not described"]);
    expect(compared(body, 200, "text/html")).toEqual(["GET /v1/orgs 200: text/html is not described"]);
    expect(compared(body, 404, "application/problem+json")).not.toEqual([]);
  });

  test("with a field more in a schema of several parts", () => {
    const found = undescribed("GET", `/v1/reports/${crypto.randomUUID()}`, 200, "application/json", '{"more":1}');
    expect(found).toContainEqual(expect.stringMatching(/\/ must NOT have unevaluated properties .*"more"/));
  });
});
