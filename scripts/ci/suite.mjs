import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { cpuSecondsOfChildren } from "../service/progress.mjs";
import { main, Refusal, ROOT } from "../setup/project.mjs";

/** Up to this many failed files run once more. More failures are no coincidence. */
const MAX_REPEATED_FILES = 8;

const REPORTS = join(ROOT, ".build/reports");

/** Reporters of one suite, beside the reporters of all suites. */
const OWN_REPORTERS = { test: ["test/support/index-report.ts"] };

/** Runs an npm script of tests. @returns its report with its CPU in seconds; null if it stalled or crashed before the report. */
async function run(script, report, more = []) {
  rmSync(report, { force: true });
  const own = ["scripts/ci/stall-reporter.mjs", ...(OWN_REPORTERS[script] ?? [])].map((file) => join(ROOT, file));
  const before = cpuSecondsOfChildren();
  const reporters = ["default", "json", ...own].map((name) => `--reporter=${name}`);
  const child = spawn("npm", ["run", "--silent", script, "--", ...reporters, `--outputFile.json=${report}`, ...more], {
    cwd: ROOT,
    stdio: "inherit",
  });
  const [code] = await once(child, "exit");
  if (!existsSync(report)) return { code, results: null };
  const cpuSeconds = before === null ? null : Math.round(cpuSecondsOfChildren() - before);
  const results = { ...JSON.parse(readFileSync(report, "utf8")), cpuSeconds };
  writeFileSync(report, JSON.stringify(results));
  return { code, results };
}

/** The suite whose CPU has a budget. */
const BUDGETED = "test";
const REFERENCE_RUNS = 3;

/** CPU of the reference work of this machine in seconds, the median of some runs: the bundle of a deployment. Null if it is not told. */
async function referenceCpuSeconds() {
  const seconds = [];
  for (let n = 0; n < REFERENCE_RUNS; n++) {
    const before = cpuSecondsOfChildren();
    if (before === null) return null;
    const child = spawn(process.execPath, ["scripts/ci/bundle.mjs"], { cwd: ROOT, stdio: "ignore" });
    const [code] = await once(child, "exit");
    if (code !== 0) return null;
    seconds.push(cpuSecondsOfChildren() - before);
  }
  return Math.round(seconds.sort((a, b) => a - b)[1] * 10) / 10;
}

const failedFiles = (results) => results.testResults.filter(({ status }) => status === "failed");

/** The first report with the second result of the files that ran again. */
function merged(first, again) {
  const second = new Map(again.testResults.map((file) => [file.name, file]));
  const testResults = first.testResults.map((file) => second.get(file.name) ?? file);
  const count = (status) =>
    testResults.flatMap(({ assertionResults }) => assertionResults).filter((test) => test.status === status).length;
  return { ...first, testResults, numPassedTests: count("passed"), numFailedTests: count("failed") };
}

/** The tests that failed in the first run and passed alone, as `file > title`. A file that could not be loaded has no titles. */
function unstable(failed, again) {
  const passed = new Set(again.testResults.filter(({ status }) => status === "passed").map(({ name }) => name));
  return failed
    .filter(({ name }) => passed.has(name))
    .flatMap(({ name, assertionResults }) => {
      const titles = assertionResults.filter((test) => test.status === "failed").map((test) => test.fullName);
      return (titles.length === 0 ? ["the file"] : titles).map((title) => `${relative(ROOT, name)} > ${title}`);
    });
}

/**
 * `node scripts/ci/suite.mjs <npm script>`: runs a suite and keeps its report as `.build/reports/<script>.json`.
 * A stalled suite runs once more. Failed files run once more, alone: a test that passes then depends on other tests or
 * on the speed of the machine. The report lists it as unstable, and the suite passes.
 */
main(async () => {
  const script = process.argv[2];
  const report = join(REPORTS, `${script.replaceAll(":", "-")}.json`);
  mkdirSync(REPORTS, { recursive: true });
  let { code, results } = await run(script, report);
  if (results === null || (code !== 0 && failedFiles(results).length === 0)) {
    console.error(`\n${script} ended with ${code} and without a failed test. It runs once more.`);
    ({ code, results } = await run(script, report));
  }
  if (script === BUDGETED && results !== null) {
    results = { ...results, referenceCpuSeconds: await referenceCpuSeconds() };
    writeFileSync(report, JSON.stringify(results));
  }
  if (code === 0) return;
  const failed = results === null ? [] : failedFiles(results);
  if (failed.length === 0 || failed.length > MAX_REPEATED_FILES) throw new Refusal(`${script} failed.`);
  console.error(`\n${failed.length} files failed. They run once more, alone.`);
  const alone = join(REPORTS, `${script.replaceAll(":", "-")}-again.json`);
  const files = failed.map(({ name }) => relative(ROOT, name));
  const second = await run(script, alone, ["--maxWorkers=1", ...files]);
  if (second.results !== null)
    writeFileSync(
      report,
      JSON.stringify({ ...merged(results, second.results), unstable: unstable(failed, second.results) }),
    );
  if (second.code !== 0) throw new Refusal(`${script} failed twice.`);
});
