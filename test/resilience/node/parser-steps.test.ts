import { afterAll, expect, test } from "vitest";
import { StepCounter } from "../../node/support/steps";

/*
 * Each parser of untrusted input gets a piece that an attacker would repeat, and then twice as many: it takes about
 * twice the steps. A parser that refuses the input takes fewer.
 */
const counter = await StepCounter.start();
afterAll(() => counter.stop());
const { SHAPES } = await import("../../node/support/parser-shapes");

const MAX_RUNS = 4;
/** Steps for twice the input, divided by the steps for the input. */
const MAX_RATIO = 2.3;

test.each(SHAPES)("%s: twice as much takes twice the steps", async (_, size, work) => {
  await work(10);
  let [once, twice] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  // Other work of the process only adds steps, so the minimum of a few runs counts.
  for (let run = 0; run < MAX_RUNS && !(twice / once < MAX_RATIO); run++) {
    once = Math.min(once, await counter.of(() => work(size)));
    twice = Math.min(twice, await counter.of(() => work(2 * size)));
  }
  expect(once).toBeGreaterThan(100);
  expect(twice / once).toBeLessThan(MAX_RATIO);
});
