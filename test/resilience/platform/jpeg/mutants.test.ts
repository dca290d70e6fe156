import { test } from "vitest";
import { judgeMutants } from "../../../support/mutants";
import { decodableFixtures } from "../../../support/pictures";

/** Mutants of each fixture: about 3,000 in all. `npm run test:oracles` judges 20,000. */
const MUTANTS = 170;

test.each(decodableFixtures)("random mutants of %s end in a verdict, and accepted files can be drawn", (name) =>
  judgeMutants(name, MUTANTS),
);
