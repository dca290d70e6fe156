import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The part of a run within which the last of the long files has begun. */
const BEGUN_WITHIN = 0.7;

/**
 * Spreads the files of the project `node`, which take long and start services and browsers of their own, evenly
 * between those of the other: about one of them runs at a time, and none is left alone at the end.
 */
export class SpreadSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const long = sorted.filter(({ project }) => project.name === "node");
    const short = sorted.filter(({ project }) => project.name !== "node");
    const between = Math.ceil((short.length * BEGUN_WITHIN) / Math.max(1, long.length));
    return [
      ...long.flatMap((file, at) => [file, ...short.slice(at * between, (at + 1) * between)]),
      ...short.slice(long.length * between),
    ];
  }
}
