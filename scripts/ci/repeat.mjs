import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { main, nodeForTools, Refusal, ROOT } from "../setup/project.mjs";

/** The suite of a test file, by the beginning of its path; the first one that fits. */
const SUITES = [
  ["test/resilience/", "test:resilience"],
  ["test/system/", "test:system"],
  ["test/browser/", "test:system"],
  ["test/gateway/", "test:gateway"],
  ["test/oracles/", "test:oracles"],
  ["test/", "test"],
];

const suiteOf = (file) => SUITES.find(([folder]) => file.startsWith(folder))?.[1];

/** The test files that differ from a commit, and the test files that are not in git yet. */
function changedTests(since) {
  const git = (...args) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n");
  const files = [...git("diff", "--name-only", since), ...git("ls-files", "--others", "--exclude-standard")];
  return [...new Set(files)].filter((file) => file.endsWith(".test.ts") && existsSync(join(ROOT, file)));
}

/** Keeps every core busy with other work until `stop()`. */
function busy() {
  const cores = Array.from({ length: availableParallelism() }, () =>
    spawn(nodeForTools(), ["-e", "for (;;);"], { stdio: "ignore" }),
  );
  return {
    stop: () => {
      for (const core of cores) core.kill();
    },
  };
}

async function run(suite, files, seed) {
  const order = ["--sequence.shuffle.files", `--sequence.seed=${seed}`];
  const child = spawn("npm", ["run", "--silent", suite, "--", ...order, ...files], { cwd: ROOT, stdio: "inherit" });
  return (await once(child, "exit"))[0] === 0;
}

/**
 * `npm run test:repeat [-- --times 10] [--since main] [--quiet] [files, or a suite with --suite test]`: runs test files again and
 * again, in a random order of files and while other work fills the machine. Without files: those that changed.
 */
main(async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      times: { type: "string", default: "10" },
      since: { type: "string", default: "HEAD" },
      suite: { type: "string" },
      quiet: { type: "boolean", default: false },
    },
  });
  const files = positionals.length > 0 ? positionals : changedTests(values.since);
  const suites = values.suite === undefined ? [...new Set(files.map(suiteOf))] : [values.suite];
  if (suites.length === 0) throw new Refusal("No test file has changed. Name the files, or a suite with --suite.");
  let failures = 0;
  const other = values.quiet ? null : busy();
  try {
    for (let turn = 1; turn <= Number(values.times); turn++)
      for (const suite of suites) {
        console.log(`\n== ${suite}, run ${turn} of ${values.times}`);
        const own = values.suite === undefined ? files.filter((file) => suiteOf(file) === suite) : positionals;
        if (!(await run(suite, own, turn))) failures++;
      }
  } finally {
    other?.stop();
  }
  if (failures > 0) throw new Refusal(`${failures} runs failed.`);
  console.log(`\nEvery run passed.`);
});
