import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ROOT } from "../../scripts/setup/project.mjs";

/* The state of the local service is for its user alone. */

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "private-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs `keepPrivate` in a separate process, because it changes the process; then the process writes a file. */
function keepPrivate(stateDir: string): void {
  const program = `import { keepPrivate } from ${JSON.stringify(join(ROOT, "scripts/service/private.mjs"))};
    import { writeFileSync } from "node:fs";
    process.umask(0o022);
    keepPrivate(${JSON.stringify(stateDir)});
    writeFileSync(${JSON.stringify(join(stateDir, "later"))}, "");`;
  execFileSync(process.execPath, ["--input-type=module", "-e", program]);
}

const rightsOf = (...path: string[]): string => (statSync(join(...path)).mode & 0o777).toString(8);

test("a new state and what is written later is private", () => {
  const state = join(newFolder(), "state");
  keepPrivate(state);
  expect([rightsOf(state), rightsOf(state, "later")]).toEqual(["700", "600"]);
});

test("an existing state is tightened, and what its links lead to stays", () => {
  const folder = newFolder();
  const [state, outside] = [join(folder, "state"), join(folder, "outside")];
  mkdirSync(join(state, "v3/d1"), { recursive: true });
  for (const file of [outside, join(state, "v3/d1/db.sqlite"), join(state, "program")]) writeFileSync(file, "");
  for (const file of [outside, join(state, "v3/d1/db.sqlite")]) chmodSync(file, 0o644);
  for (const file of [state, join(state, "v3"), join(state, "v3/d1"), join(state, "program")]) chmodSync(file, 0o755);
  symlinkSync(outside, join(state, "link"));
  keepPrivate(state);
  const inside = [[], ["v3"], ["v3", "d1"], ["v3/d1/db.sqlite"], ["program"]].map((path) => rightsOf(state, ...path));
  expect(inside).toEqual(["700", "700", "700", "600", "700"]);
  expect(rightsOf(outside)).toBe("644");
});

test("a new state that the migrations make is private", () => {
  const state = join(newFolder(), "state");
  const env = { ...process.env, STATE_DIR: state };
  execFileSync("sh", ["-c", 'umask 022 && exec "$0" scripts/migrate.mjs', process.execPath], { cwd: ROOT, env });
  expect([rightsOf(state), rightsOf(state, "v3"), rightsOf(state, "v3/d1")]).toEqual(["700", "700", "700"]);
});
