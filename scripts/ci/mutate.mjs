import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listedSurvivors } from "../../test/limits/tables/seeded.ts";
import { main, nodeForTools, Refusal, ROOT, toolEnvironment } from "../setup/project.mjs";
import { allMutants, read } from "./mutants.mjs";

/** A copy of the project, in which the code is changed. The project itself never is. */
const COPY = join(ROOT, ".build/mutants");
const REPORT = join(ROOT, ".build/reports/mutants.json");
/** Time after which a run that hangs counts as failed, ms. */
const RUN_TIMEOUT_MS = 600_000;

const CONFIGS = { resilience: "vitest.resilience.config.mts", browser: "vitest.system.config.mts" };

/** Runs tests in the copy. @returns the failed tests as [file, name]; a file that does not load counts as a test. */
async function failedTests(tests, isAlone) {
  const failed = [];
  for (const config of new Set(tests.map(([file]) => CONFIGS[file.split("/")[0]] ?? "vitest.config.mts"))) {
    const own = tests.filter(([file]) => (CONFIGS[file.split("/")[0]] ?? "vitest.config.mts") === config);
    const titles = own.map(([, title]) => title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const report = join(COPY, ".build/report.json");
    rmSync(report, { force: true });
    const options = ["run", "--config", config, "--reporter=json", `--outputFile.json=${report}`];
    if (isAlone) options.push("--bail=1");
    if (!titles.includes("")) options.push("-t", titles.join("|"));
    const files = [...new Set(own.map(([file]) => `test/${file}`))];
    const vitest = join(COPY, "node_modules/vitest/vitest.mjs");
    const child = spawn(nodeForTools(), [vitest, ...options, ...files], {
      cwd: COPY,
      env: toolEnvironment(),
      stdio: "ignore",
    });
    const timer = setTimeout(() => child.kill("SIGKILL"), RUN_TIMEOUT_MS);
    await once(child, "exit");
    clearTimeout(timer);
    if (!existsSync(report)) return own.map(([file]) => [file, "does not run"]);
    for (const { name, status, assertionResults } of JSON.parse(readFileSync(report, "utf8")).testResults) {
      const file = name.replaceAll("\\", "/").split("/test/").at(-1);
      const wrong = assertionResults.filter((one) => one.status === "failed");
      failed.push(...wrong.map(({ fullName }) => [file, fullName]));
      if (status === "failed" && wrong.length === 0) failed.push([file, "does not run"]);
    }
  }
  return failed;
}

const killersOf = ({ tests }, failed) =>
  failed.filter(([file, name]) =>
    tests.some(([own, title]) => own === file && (name.includes(title) || name === "does not run")),
  );

function copyProject() {
  rmSync(COPY, { recursive: true, force: true });
  const { stdout } = spawnSync("git", ["ls-files", "-co", "--exclude-standard"], { cwd: ROOT, encoding: "utf8" });
  for (const file of stdout.split("\n").filter((name) => name !== "" && existsSync(join(ROOT, name))))
    cpSync(join(ROOT, file), join(COPY, file));
  mkdirSync(join(COPY, ".build"), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(COPY, "node_modules"));
  symlinkSync(join(ROOT, ".build/web"), join(COPY, ".build/web"));
}

/** Groups of mutants that run together. They are in different files and have different tests. */
function* groups(mutants, isAlone) {
  const left = new Set(mutants);
  const shares = ({ tests }, other) =>
    tests.some(([file, title]) => other.tests.some((test) => test[0] === file && test[1] === title));
  while (left.size > 0) {
    const group = [];
    for (const mutant of left) {
      const isApart = group.every((other) => other.file !== mutant.file && !shares(other, mutant));
      if (group.length > 0 && (isAlone || !isApart)) continue;
      group.push(mutant);
      left.delete(mutant);
    }
    yield group;
  }
}

/** The results of the last run, for `--resume`: it goes on where that run stopped. */
const lastResults = () => (existsSync(REPORT) ? JSON.parse(readFileSync(REPORT, "utf8")) : []);
const keyOf = ({ limit, file, change }) => `${limit} ${file} ${change}`;

/**
 * `npm run mutate [-- --together] [--open] [--resume] [part of the name of a limit, file or test…]`: changes each limit where
 * the code uses it, in a copy, and runs the tests that its row names: one must fail. With `--together`, mutants of different
 * files with different tests share a run, which is quicker; a test can then fail because of the mutant of another limit.
 */
main(async () => {
  const parts = process.argv.slice(2).filter((part) => !part.startsWith("--"));
  const isAlone = !process.argv.includes("--together");
  const chosen = [...allMutants()].filter(
    (mutant) =>
      parts.length === 0 ||
      parts.some((part) => `${mutant.limit} ${mutant.file} ${mutant.tests.join()}`.includes(part)),
  );
  const isListed = ({ limit, file, change, unheld }) =>
    unheld !== undefined ||
    listedSurvivors.some(
      (one) => limit.endsWith(`: ${one.limit}`) && one.file === file && change.startsWith(one.change ?? ""),
    );
  const runsOpen = process.argv.includes("--open");
  const listed = chosen.filter(isListed);
  const open = chosen.filter((mutant) => mutant.open && !isListed(mutant));
  const results = process.argv.includes("--resume") ? lastResults() : [];
  const isDone = new Set(results.map(keyOf));
  const mutants = chosen
    .filter((mutant) => !isListed(mutant) && (runsOpen || !mutant.open) && !isDone.has(keyOf(mutant)))
    .map((mutant) => ({ ...mutant, original: read(mutant.file) }));
  copyProject();
  const before = await failedTests(
    mutants.flatMap(({ tests }) => tests),
    false,
  );
  if (before.length > 0)
    throw new Refusal(`These tests fail without a mutant:\n${before.map((test) => test.join(" > ")).join("\n")}`);
  for (const group of groups(mutants, isAlone)) {
    for (const { file, text } of group) writeFileSync(join(COPY, file), text);
    const failed = await failedTests(
      group.flatMap(({ tests }) => tests),
      isAlone,
    );
    for (const { file, original } of group) writeFileSync(join(COPY, file), original);
    for (const mutant of group) {
      const killers = killersOf(mutant, failed);
      const { limit, file, change } = mutant;
      results.push({ limit, file, change, killers: killers.map((test) => test.join(" > ")) });
      console.log(`${killers.length > 0 ? "killed  " : "SURVIVED"} ${limit} (${change}) in ${file}`);
    }
    mkdirSync(dirname(REPORT), { recursive: true });
    writeFileSync(REPORT, JSON.stringify(results, null, 1));
  }
  rmSync(COPY, { recursive: true, force: true });
  const survivors = results.filter(({ killers }) => killers.length === 0);
  console.log(`\n| Limit | Change | In |\n|---|---|---|`);
  for (const { limit, file, change } of survivors) console.log(`| ${limit} | ${change} | ${file} |`);
  console.log(
    `\nmutants ${results.length}, killed ${results.length - survivors.length}, survived ${survivors.length}; with a reason in their row: ${listed.length}; open: ${open.length}`,
  );
  if (survivors.length > 0) throw new Refusal("Write a test, or give the reason as `unheld` in the row.");
});
