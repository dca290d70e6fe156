import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { failuresOf } from "./reports.mjs";

/**
 * Maximum CPU of a suite, by its report, as a multiple of the CPU of the reference work in the same run: a second of CPU does more on one
 * machine than on another. It is 540 s where the reference takes 2.1 s. A suite that takes more contains tests that cost too much:
 * make them cheaper, or move long ones to another suite.
 */
const CPU_BUDGETS = { "test.json": 257 };

/** The same for all suites together: 22 minutes of two cores where the reference takes 2.1 s. */
const CPU_BUDGET_OF_ALL = 1_257;

/**
 * Adds up the JSON reports on the command line. It prints the failed tests and the tests that needed a second run, with their messages, and
 * the counts as the last line. It fails if a test failed or was skipped, or if a suite or all of them took more CPU than their budget.
 */
let isOverBudget = false;
let [all, referenceOfAll] = [0, null];

/** Prints the CPU of one suite or of all, beside its budget if it has one. @param {number} [multiple] of the reference */
function countCpu(name, seconds, multiple, reference) {
  if (multiple === undefined || reference === null) {
    console.log(`${name}: ${seconds} s of CPU`);
    return;
  }
  const budget = Math.round(multiple * reference);
  console.log(`${name}: ${seconds} s of CPU, budget ${budget} s: ${multiple} times the reference of ${reference} s`);
  if (seconds <= budget) return;
  console.error(`${name} took more CPU than its budget.`);
  isOverBudget = true;
}

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
  referenceOfAll ??= reference;
  all += seconds ?? 0;
  if (seconds !== null) countCpu(basename(file, ".json"), seconds, CPU_BUDGETS[basename(file)], reference);
  unstable.push(...(report.unstable ?? []).map(({ test }) => test));
  // A file that cannot be loaded has no tests to count.
  const broken = report.testResults.filter((r) => r.status === "failed" && r.assertionResults.length === 0).length;
  failed += report.numFailedTests + broken;
  if (report.numPendingTests + report.numTodoTests > 0) {
    console.error(`${file}: ${report.numPendingTests + report.numTodoTests} tests were skipped.`);
    failed += report.numPendingTests + report.numTodoTests;
  }
}
if (process.argv.length > 3 && all > 0) countCpu("all suites", all, CPU_BUDGET_OF_ALL, referenceOfAll);
const names = unstable.length === 0 ? "" : `: ${unstable.join("; ")}`;
console.log(`${passed} passed, ${failed} failed, ${unstable.length} unstable${names}`);
process.exit(failed > 0 || passed === 0 || isOverBudget ? 1 : 0);
