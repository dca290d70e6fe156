import { expect, test } from "vitest";
import { cityOf, countriesOfZones } from "../../web/ui/zones";

test("a zone is named by its city and its country, as the reader's language says them", () => {
  expect(["America/Argentina/Buenos_Aires", "Asia/Calcutta", "Europe/Kiev", "Europe/Oslo"].map(cityOf)).toEqual([
    "Buenos Aires",
    "Kolkata",
    "Kyiv",
    "Oslo",
  ]);
  expect(countriesOfZones("de").get("Europe/Berlin")).toBe("Deutschland");
  expect(countriesOfZones("es").get("Europe/Oslo")).toBe("Noruega");
});
