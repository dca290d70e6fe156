import { afterAll, expect, test } from "vitest";
import { StepCounter } from "./support/steps";

/*
 * Each parser of untrusted input gets a piece that an attacker would repeat, and then twice as many: it takes about
 * twice the steps. A parser that refuses the input takes fewer.
 */
const counter = await StepCounter.start();
afterAll(() => counter.stop());
const { SHAPES } = await import("./support/parser-shapes");

test.each(SHAPES)("%s: twice as much takes twice the steps", async (_, size, work) => {
  await work(10);
  const [once, twice] = [await counter.of(() => work(size)), await counter.of(() => work(2 * size))];
  expect(once).toBeGreaterThan(100);
  expect(twice / once).toBeLessThan(2.3);
});
