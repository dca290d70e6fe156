import { expect, test } from "vitest";
import { colourOf } from "../../src/reports/room/member";
import { contrastOf, partsOf, TEXT_CONTRAST, WHITE } from "../../web/ui/colour";

test("the colour of every person has the contrast that text needs, with white", () => {
  const hues = Array.from({ length: 360 }, (_, hue) => colourOf(`0000${hue.toString(16).padStart(4, "0")}`));
  const tooLight = hues.filter((colour) => contrastOf(partsOf(colour) ?? WHITE, WHITE) < TEXT_CONTRAST);
  expect(tooLight).toEqual([]);
  expect(new Set(hues).size).toBeGreaterThan(200);
});
