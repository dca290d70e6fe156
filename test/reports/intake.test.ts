import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Intake, type SentUpdate } from "../../src/reports/room/intake";
import type { Seat } from "../../src/reports/room/member";

/* Each test is one turn: nothing but the timers it moves itself can happen in between. */

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** An intake, and the updates of each write so far. */
function open() {
  const writes: number[][] = [];
  const intake = new Intake((all) => writes.push(all.map(({ update }) => update[0] ?? -1)));
  const add = (n: number) => intake.add({ update: Uint8Array.of(n), seat: {} as Seat } satisfies SentUpdate);
  return { writes, intake, add };
}

test("the first update after a pause is written at once, and those right after it together", () => {
  const { writes, add } = open();
  for (let n = 0; n < 5; n++) add(n);
  expect(writes).toEqual([[0]]);
  vi.advanceTimersByTime(10);
  expect(writes).toEqual([[0], [1, 2, 3, 4]]);
  vi.advanceTimersByTime(10);
  add(5);
  expect(writes).toEqual([[0], [1, 2, 3, 4], [5]]);
});

test("updates that never pause are written again and again, each once and in order", () => {
  const { writes, intake, add } = open();
  for (let n = 0; n < 100; n++) {
    add(n);
    vi.advanceTimersByTime(1);
  }
  vi.advanceTimersByTime(10);
  expect(writes.flat()).toEqual(Array.from({ length: 100 }, (_, n) => n));
  expect(writes).toHaveLength(11);
  expect(intake.bytes).toBe(0);
});

test("what waits is counted, and can be written now or dropped", () => {
  const { writes, intake, add } = open();
  for (let n = 0; n < 3; n++) add(n);
  expect(intake.bytes).toBe(2);
  intake.writeAll();
  expect(writes).toEqual([[0], [1, 2]]);
  add(3);
  expect(intake.drop().map(({ update }) => update[0])).toEqual([3]);
  vi.advanceTimersByTime(60_000);
  intake.writeAll();
  expect(writes).toEqual([[0], [1, 2]]);
});
