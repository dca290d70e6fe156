import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that mostly wait, for leases, sweeps and programs, by their folder below `test`: the longest first. A new clone has no
 * times of earlier runs, and one long file at the end would leave the other workers without work.
 */
const LONG = [
  "system/demo.test.ts",
  "system/backup.test.ts",
  "system/frame-restarts.test.ts",
  "system/recognition.test.ts",
  "system/recognition-walls.test.ts",
  "system/console/access-end.test.ts",
  "system/console/first-hour.test.ts",
  "system/hub-clients.test.ts",
  "system/console/languages.test.ts",
  "system/restart.test.ts",
];

/** Vitest's order of files, with the long files at its beginning. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONG.indexOf(relative("test", moduleId).replaceAll("\\", "/"));
      return place === -1 ? LONG.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}
