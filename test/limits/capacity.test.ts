import { describe, expect, test } from "vitest";
import { problem } from "../support/call";
import { capacityRows } from "./capacity";

describe("a maximum is reached exactly, and one more is refused", () => {
  test.each(capacityRows)("$limit", async ({ most, full, status = 201, refusal = String(most) }) => {
    const atMaximum = await full(most);
    for (const [verb, add] of Object.entries(atMaximum)) {
      const refused = await add();
      const body: unknown = await refused.json();
      expect([verb, refused.status, body]).toMatchObject([verb, 422, { code: "rule-violated" }]);
      expect(problem.parse(body).detail).toContain(refusal);
    }
    // Each verb gets the last free place of its container.
    for (const verb of Object.keys(atMaximum)) {
      const accepted = await (await full(most - 1))[verb]?.();
      const text = await accepted?.text();
      expect([verb, accepted?.ok, text]).toEqual([verb, true, text]);
      if (verb === "create") expect(accepted?.status).toBe(status);
    }
  });
});
