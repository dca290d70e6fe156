import { describe, expect, test } from "vitest";
import { shownRows } from "./shown";
import { storedShownRows } from "./shown-stored";

describe("of more than the maximum, the maximum is read or shown", () => {
  test.each([...shownRows, ...storedShownRows])("$limit", async ({ most, shown }) => {
    expect(await shown(most)).toBe(most);
    expect(await shown(most + 1)).toBe(most);
  });
});
