import { describe, expect, test } from "vitest";
import { codeOf } from "../support/call";
import { inputRows } from "./inputs";

describe("a request is accepted at the limit, and refused beyond it", () => {
  test.each(inputRows)("$limit", async ({ value, isMinimum, ask, refused = "400 validation-failed" }) => {
    const send = await ask();
    const accepted = await send(value);
    expect([accepted.status < 300, await accepted.text()]).toEqual([true, expect.anything()]);
    expect(await codeOf(await send(isMinimum ? value - 1 : value + 1))).toBe(refused);
  });
});
