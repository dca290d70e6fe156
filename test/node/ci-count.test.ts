import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";

const folder = mkdtempSync(join(tmpdir(), "count-"));

/** The last line of a run whose suites have these reports. */
function lastLine(...reports: object[]): string {
  const files = reports.map((report, n) => {
    const file = join(folder, `${n}.json`);
    writeFileSync(file, JSON.stringify({ numPendingTests: 0, numTodoTests: 0, testResults: [], ...report }));
    return file;
  });
  return execFileSync("node", ["scripts/ci/count.mjs", ...files], { encoding: "utf8" }).trim();
}

test("the last line of a run counts the tests, and names the tests that needed a second run", () => {
  const stable = { numPassedTests: 3, numFailedTests: 0 };
  expect(lastLine(stable, stable)).toBe("6 passed, 0 failed, 0 unstable");
  const unstable = ["test/a.test.ts > waits", "test/b.test.ts > draws"].map((test) => ({
    test,
    why: "AssertionError",
  }));
  expect(lastLine(stable, { ...stable, unstable })).toBe(
    "6 passed, 0 failed, 2 unstable: test/a.test.ts > waits; test/b.test.ts > draws",
  );
});

test("a suite may take its CPU budget and no more", () => {
  const file = join(folder, "test.json");
  const count = (cpuSeconds: number, referenceCpuSeconds: number | null = 2.1) => {
    const report = {
      numPassedTests: 1,
      numFailedTests: 0,
      numPendingTests: 0,
      numTodoTests: 0,
      testResults: [],
      ...{ cpuSeconds, referenceCpuSeconds },
    };
    writeFileSync(file, JSON.stringify(report));
    return spawnSync("node", ["scripts/ci/count.mjs", file], { encoding: "utf8" });
  };
  expect(count(540)).toMatchObject({ status: 0, stdout: expect.stringContaining("test: 540 s of CPU, budget 540 s") });
  const over = { status: 1, stderr: expect.stringContaining("test took more CPU than its budget") };
  expect(count(541)).toMatchObject(over);
  // On a machine of half the speed, both take twice as long.
  expect(count(1_079, 4.2)).toMatchObject({ status: 0 });
  expect(count(1_080, 4.2)).toMatchObject(over);
  expect(count(9_999, null)).toMatchObject({ status: 0 });
});

test("all suites together may take their CPU budget and no more", () => {
  const count = (...cpu: number[]) => {
    const files = cpu.map((cpuSeconds, n) => {
      const file = join(folder, `suite-${n}.json`);
      const counted = { numPassedTests: 1, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };
      writeFileSync(file, JSON.stringify({ ...counted, cpuSeconds, ...(n === 0 && { referenceCpuSeconds: 2 }) }));
      return file;
    });
    return spawnSync("node", ["scripts/ci/count.mjs", ...files], { encoding: "utf8" });
  };
  expect(count(1_000, 1_514)).toMatchObject({ status: 0, stdout: expect.stringContaining("budget 2514 s") });
  expect(count(1_000, 1_515)).toMatchObject({ status: 1, stderr: expect.stringContaining("all suites took more CPU") });
});

test("a run with a failed or skipped test fails", () => {
  expect(() => lastLine({ numPassedTests: 3, numFailedTests: 1 })).toThrow();
  expect(() => lastLine({ numPassedTests: 3, numFailedTests: 0, numPendingTests: 1 })).toThrow();
});

const joinedSchema = z.object({
  numPassedTests: z.int(),
  numFailedTests: z.int(),
  unstable: z.array(z.object({ test: z.string(), why: z.string() })),
});

test("a file that several projects run and that fails in one of them in both runs has failed", async () => {
  const { joined } = (await import("../../scripts/ci/reports.mjs")) as { joined: (...reports: object[]) => unknown };
  const file = (name: string, status: "passed" | "failed") => ({
    name: join(process.cwd(), name),
    status,
    assertionResults: [{ fullName: "holds", status, failureMessages: status === "failed" ? ["expected 1"] : [] }],
  });
  const first = { testResults: [file("a", "failed"), file("a", "failed"), file("a", "passed"), file("b", "passed")] };
  const again = { testResults: [file("a", "passed"), file("a", "failed"), file("a", "passed")] };
  expect(joinedSchema.parse(joined(first, again))).toEqual({ numPassedTests: 3, numFailedTests: 1, unstable: [] });
  const better = { testResults: [file("a", "passed"), file("a", "passed"), file("a", "passed")] };
  const why = { test: "a > holds", why: "expected 1" };
  expect(joinedSchema.parse(joined(first, better))).toEqual({
    ...{ numPassedTests: 4, numFailedTests: 0 },
    unstable: [why, why],
  });
});
