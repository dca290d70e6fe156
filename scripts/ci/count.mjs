import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { failuresOf } from "./reports.mjs";

/**
 * Maximum CPU of a suite, by its report, as a multiple of the CPU of the reference work in the same run: a second of CPU does more on one
 * machine than on another. It is 540 s where the reference takes 2.1 s. A suite that takes more contains tests that cost too much:
 * make them cheaper, or move long ones to another suite.
 */
const CPU_BUDGETS = { "test.json": 257 };

/**
 * Adds up the JSON reports on the command line. It prints the failed tests and the tests that needed a second run, with their messages, and
 * the counts as the last line. It fails if a test failed or was skipped, or if a suite took more CPU than its budget.
 */
let isOverBudget = false;
let [passed, failed] = [0, 0];
const unstable = [];
for (const file of process.argv.slice(2)) {
  if (!existsSync(file)) {
    console.error(`${file} is missing: its tests did not run to their end.`);
    failed += 1;
    continue;
  }
  const report = JSON.parse(readFileSync(file, "utf8"));
  for (const { test, why } of failuresOf(report.testResults)) console.error(`failed: ${test}: ${why}`);
  for (const { test, why } of report.unstable ?? []) console.error(`unstable: ${test}: ${why}`);
  passed += report.numPassedTests;
  const [seconds, reference] = [report.cpuSeconds ?? null, report.referenceCpuSeconds ?? null];
  const multiple = reference === null ? undefined : CPU_BUDGETS[basename(file)];
  const budget = multiple === undefined ? Number.POSITIVE_INFINITY : Math.round(multiple * reference);
  const told = multiple === undefined ? "" : `, budget ${budget} s: ${multiple} times the reference of ${reference} s`;
  if (seconds !== null) console.log(`${basename(file, ".json")}: ${seconds} s of CPU${told}`);
  if (seconds !== null && seconds > budget) {
    console.error(`${basename(file, ".json")} took more CPU than its budget.`);
    isOverBudget = true;
  }
  unstable.push(...(report.unstable ?? []).map(({ test }) => test));
  // A file that cannot be loaded has no tests to count.
  const broken = report.testResults.filter((r) => r.status === "failed" && r.assertionResults.length === 0).length;
  failed += report.numFailedTests + broken;
  if (report.numPendingTests + report.numTodoTests > 0) {
    console.error(`${file}: ${report.numPendingTests + report.numTodoTests} tests were skipped.`);
    failed += report.numPendingTests + report.numTodoTests;
  }
}
const names = unstable.length === 0 ? "" : `: ${unstable.join("; ")}`;
console.log(`${passed} passed, ${failed} failed, ${unstable.length} unstable${names}`);
process.exit(failed > 0 || passed === 0 || isOverBudget ? 1 : 0);
