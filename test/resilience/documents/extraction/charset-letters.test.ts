import { expect, test } from "vitest";
import { encodingByStatistics } from "../../../../src/documents/extraction/charsets/detector";
import { FORMS, LANGUAGES, outcomeOf } from "../../../support/charset-texts";

test.each(LANGUAGES)("$code is decoded rightly or not at all, in every encoding, form and length", async (language) => {
  const { wrong } = await outcomeOf(encodingByStatistics, language, Object.keys(FORMS), [40, 100, 400, 2_000]);
  expect(wrong).toEqual([]);
});
