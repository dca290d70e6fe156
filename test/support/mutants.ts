import { expect } from "vitest";
import { encodePicture, pictureOf, verifyJpeg } from "../../src/platform/jpeg";
import { atOnce } from "../../src/platform/pace";
import { jpegFixture, mutate } from "./pictures";
import { seeded } from "./random";

/** Checks `count` random mutants of a picture: each gets a verdict, and accepted ones can be drawn. */
export function judgeMutants(name: string, count: number): void {
  const random = seeded(name.length * 7919 + name.charCodeAt(9));
  const original = jpegFixture(name);
  let rejected = 0;
  for (let i = 0; i < count; i++) {
    const verdict = atOnce(verifyJpeg(mutate(original, random), { minimumEdge: 64 }));
    if (verdict.verdict === "rejected") rejected++;
    else expect(encodePicture(pictureOf(verdict.decoded, 64), 64, 50).bytes.length).toBeGreaterThan(100);
  }
  expect(rejected).toBeGreaterThan(count / 4);
}
