import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Seat } from "../../src/reports/room/member";
import { type SentUpdate, UpdateBuffer } from "../../src/reports/room/update-buffer";

/* The clock stops, except for timers that a test advances itself. */

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

const passes = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

/** An update buffer, and the updates of each access check and of each write so far. */
function open(permit: (numbers: number[]) => Promise<number[]> = async (numbers) => numbers) {
  const [asked, writes]: number[][][] = [[], []];
  const numberOf = ({ update }: SentUpdate) => update[0] ?? -1;
  const intake = new UpdateBuffer(
    async (all) => {
      asked?.push(all.map(numberOf));
      const permitted = await permit(all.map(numberOf));
      return all.filter((sent) => permitted.includes(numberOf(sent)));
    },
    (all) => writes?.push(all.map(numberOf)),
  );
  const add = (n: number) => intake.add({ update: Uint8Array.of(n), seat: {} as Seat } satisfies SentUpdate);
  return { asked, writes, intake, add };
}

test("the first update after a pause is written at once, and the updates right after it are written together", async () => {
  const { writes, add } = open();
  for (let n = 0; n < 5; n++) add(n);
  await passes(0);
  expect(writes).toEqual([[0]]);
  await passes(10);
  expect(writes).toEqual([[0], [1, 2, 3, 4]]);
  await passes(10);
  add(5);
  await passes(0);
  expect(writes).toEqual([[0], [1, 2, 3, 4], [5]]);
});

test("continuous updates are written in batches, each once and in order", async () => {
  const { writes, intake, add } = open();
  for (let n = 0; n < 100; n++) {
    add(n);
    await passes(1);
  }
  await passes(10);
  expect(writes?.flat()).toEqual(Array.from({ length: 100 }, (_, n) => n));
  expect(writes).toHaveLength(11);
  expect(intake.bytes).toBe(0);
});

test("an update is checked after it has arrived, never by a running check", async () => {
  const answers: (() => void)[] = [];
  const { asked, writes, intake, add } = open((all) => new Promise((answer) => answers.push(() => answer(all))));
  add(0);
  add(1);
  await passes(1_000);
  expect([asked, writes, intake.bytes]).toEqual([[[0]], [], 2]);
  answers[0]?.();
  await passes(0);
  expect([asked, writes]).toEqual([[[0], [1]], [[0]]]);
  const written = intake.writeAll();
  answers[1]?.();
  await written;
  expect([writes, intake.bytes]).toEqual([[[0], [1]], 0]);
});

test("updates without permission are dropped, and failed checks are repeated in order", async () => {
  let fails = true;
  const { writes, intake, add } = open(async (all) => {
    if (fails) throw new Error("the database is away");
    return all.filter((n) => n !== 1);
  });
  add(0);
  await passes(0);
  add(1);
  add(2);
  await expect(intake.writeAll()).rejects.toThrow("away");
  expect([writes, intake.bytes]).toEqual([[], 3]);
  fails = false;
  await passes(1_000);
  expect([writes, intake.bytes]).toEqual([[[0, 2]], 0]);
});

test("after the end nothing is written, even by a running check", async () => {
  const { writes, intake, add } = open();
  add(0);
  add(1);
  intake.end();
  add(2);
  await passes(60_000);
  await intake.writeAll();
  expect([writes, intake.bytes]).toEqual([[], 0]);
});
