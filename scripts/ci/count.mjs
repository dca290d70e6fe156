import { existsSync, readFileSync } from "node:fs";

/** Adds up the JSON reports on the command line and prints the last line of a run, with the tests that needed a second run. */
let [passed, failed] = [0, 0];
const unstable = [];
for (const file of process.argv.slice(2)) {
  if (!existsSync(file)) {
    console.error(`${file} is missing: its tests did not run to their end.`);
    failed += 1;
    continue;
  }
  const report = JSON.parse(readFileSync(file, "utf8"));
  passed += report.numPassedTests;
  unstable.push(...(report.unstable ?? []));
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
process.exit(failed > 0 || passed === 0 ? 1 : 0);
