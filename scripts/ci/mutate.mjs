import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { listedSurvivors } from "../../test/limits/tables/seeded.ts";
import { linkBrowser } from "../setup/browser.mjs";
import { main, nodeForTools, Refusal, ROOT, toolEnvironment } from "../setup/project.mjs";
import { buildWeb } from "../setup/web.mjs";
import { allMutants, read } from "./mutants.mjs";

/** A copy of the project, in which the code is changed. The project itself never is. Two runs have a copy each. */
const COPY = join(ROOT, ".build/mutants", String(process.pid));
/** One line of JSON for each mutant that was run. */
const REPORT = join(ROOT, ".build/reports/mutants.jsonl");
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
  for (const built of ["web", "pdfjs.mjs"]) symlinkSync(join(ROOT, ".build", built), join(COPY, ".build", built));
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

/** A key of a mutant. The key changes with the file of the mutant, and with the tests that its row names. */
const keyOf = ({ limit, file, change, text, tests }) =>
  `${limit} ${file} ${change} ${createHash("sha256")
    .update(JSON.stringify([text, tests]))
    .digest("hex")
    .slice(0, 16)}`;

/** The mutants that earlier runs killed, for `--resume`: killers by key. */
function killedBefore() {
  if (!existsSync(REPORT)) return new Map();
  const lines = readFileSync(REPORT, "utf8").split("\n").filter(Boolean);
  const results = new Map(lines.map((line) => JSON.parse(line)).map(({ key, killers }) => [key, killers]));
  return new Map([...results].filter(([, killers]) => killers.length > 0));
}

const isListedAs = (one, { limit, file, change }) =>
  limit.endsWith(`: ${one.limit}`) && one.file === file && change.startsWith(one.change ?? "");

/** The counts of the run by folder, as a table. */
function table(mutants) {
  const rows = Map.groupBy(mutants, ({ file }) => file.split("/").slice(0, 2).join("/"));
  const line = (name, all) => {
    const count = (...states) => all.filter(({ state }) => states.includes(state)).length;
    return `| ${name} | ${all.length} | ${count("killed")} | ${count("survived")} | ${count("listed")} |`;
  };
  return [
    "| Folder | mutants | killed | survived | listed with a reason |",
    "|---|---|---|---|---|",
    ...[...rows].sort(([a], [b]) => a.localeCompare(b)).map(([folder, all]) => line(folder, all)),
    line("all", mutants),
  ].join("\n");
}

/**
 * `npm run mutate [-- --together] [--resume] [part of the name of a limit, file or test…]`: changes each limit where
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
  const isListed = (mutant) => mutant.unheld !== undefined || listedSurvivors.some((one) => isListedAs(one, mutant));
  const useless = listedSurvivors.filter(
    (one) => parts.length === 0 && !chosen.some((mutant) => isListedAs(one, mutant)),
  );
  if (useless.length > 0)
    throw new Refusal(`No mutant is meant by: ${useless.map(({ limit, file }) => `${limit} in ${file}`).join(", ")}`);
  const isResumed = process.argv.includes("--resume");
  mkdirSync(dirname(REPORT), { recursive: true });
  if (!isResumed) rmSync(REPORT, { force: true });
  const killed = killedBefore();
  for (const mutant of chosen) {
    mutant.killers = killed.get(keyOf(mutant)) ?? [];
    if (isListed(mutant)) mutant.state = "listed";
    else if (mutant.killers.length > 0) mutant.state = "killed";
    else mutant.state = "waiting";
  }
  const mutants = chosen
    .filter(({ state }) => state === "waiting")
    .map((mutant) => Object.assign(mutant, { original: read(mutant.file) }));
  console.log(`${mutants.length} of ${chosen.length} mutants are to be run.`);
  await Promise.all([buildWeb(), linkBrowser()]);
  copyProject();
  let before = mutants.flatMap(({ tests }) => tests);
  // A test can fail once because the machine is busy.
  for (let attempt = 0; attempt < 2 && before.length > 0; attempt++) before = await failedTests(before, false);
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
      mutant.killers = killersOf(mutant, failed).map((test) => test.join(" > "));
      mutant.state = mutant.killers.length > 0 ? "killed" : "survived";
      const { limit, file, change, killers } = mutant;
      appendFileSync(REPORT, `${JSON.stringify({ key: keyOf(mutant), killers })}\n`);
      console.log(`${killers.length > 0 ? "killed  " : "SURVIVED"} ${limit} (${change}) in ${file}`);
    }
  }
  rmSync(COPY, { recursive: true, force: true });
  const survivors = mutants.filter(({ state }) => state === "survived");
  console.log(`\n| Survivor | Change | In |\n|---|---|---|`);
  for (const { limit, file, change } of survivors) console.log(`| ${limit} | ${change} | ${file} |`);
  console.log(`\n${table(chosen)}`);
  if (survivors.length > 0)
    throw new Refusal("Write a test, or give the reason as `unheld` in the row or in test/limits/tables/seeded.ts.");
});
