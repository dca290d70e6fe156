import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { cpuSecondsOfChildren } from "../service/progress.mjs";
import { main, Refusal, ROOT } from "../setup/project.mjs";
import { failedFiles, joined } from "./reports.mjs";

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

/**
 * `node scripts/ci/suite.mjs <npm script> [arguments of vitest]`, such as `--sequence.shuffle.files`: runs a suite and keeps its report as `.build/reports/<script>.json`.
 * A stalled suite runs once more. Failed files run once more, alone: a test that passes then depends on other tests or
 * on the speed of the machine. The report lists it as unstable, and the suite passes.
 */
main(async () => {
  const [script, ...given] = process.argv.slice(2);
  const report = join(REPORTS, `${script.replaceAll(":", "-")}.json`);
  mkdirSync(REPORTS, { recursive: true });
  let { code, results } = await run(script, report, given);
  if (results === null || (code !== 0 && failedFiles(results).length === 0)) {
    console.error(`\n${script} ended with ${code} and without a failed test. It runs once more.`);
    ({ code, results } = await run(script, report, given));
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
  const files = failed.map((name) => relative(ROOT, name));
  const second = await run(script, alone, ["--maxWorkers=1", ...files]);
  if (second.results !== null) writeFileSync(report, JSON.stringify(joined(results, second.results)));
  if (second.code !== 0) throw new Refusal(`${script} failed twice.`);
});
