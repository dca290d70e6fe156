import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { launcher } from "../../scripts/setup/launcher.mjs";

/*
 * The script that replaces a browser in the tests, with a program in the browser's place.
 */

const folder = mkdtempSync(join(tmpdir(), "launcher-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a program through the launcher, as the binding does: leader of a process group, its output in pipes. */
function launch(program: string, ...args: string[]): ChildProcess {
  const path = join(folder, crypto.randomUUID());
  writeFileSync(`${path}.program`, `#!/bin/sh\n${program}\n`);
  writeFileSync(path, launcher(`${path}.program`, ["--pid=%p", "it's"]));
  for (const file of [path, `${path}.program`]) chmodSync(file, 0o755);
  const child = spawn(path, args, { detached: true, stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Returns the first line with this beginning. Later lines are not read, as in the binding. */
function line({ stderr }: ChildProcess, beginning: string): Promise<string> {
  if (stderr === null) throw new Error("its output is a pipe");
  const lines = createInterface({ input: stderr });
  return new Promise((found, missed) => {
    lines.on("close", () => missed(new Error(`it never said "${beginning}"`)));
    lines.on("line", (said) => {
      if (!said.startsWith(beginning)) return;
      found(said);
      lines.close();
    });
  });
}

test("a browser with much unread output continues", async () => {
  const done = join(folder, "done");
  const child = launch(`
    echo "DevTools listening on ws://127.0.0.1:9/x" >&2
    head -c 4000000 /dev/zero | tr "\\\\0" "x" >&2
    : > "${done}"`);
  const exit = once(child, "exit");
  expect(await line(child, "DevTools")).toBe("DevTools listening on ws://127.0.0.1:9/x");
  expect((await exit)[0]).toBe(0);
  expect(existsSync(done)).toBe(true);
});

test("its output before it listens and its exit code are reported", async () => {
  const child = launch("echo cannot open a shared library >&2; exit 127");
  const exit = once(child, "exit");
  expect(await line(child, "cannot")).toBe("cannot open a shared library");
  expect((await exit)[0]).toBe(127);
});

test("it is the started process, with the given arguments and its own", async () => {
  const child = launch('echo "said $$ $*" >&2', "--headless=new", "about:blank");
  expect(await line(child, "said")).toContain(` --pid=${child.pid} it's`);
  const again = launch('echo "said $$ $*" >&2', "--headless=new", "a b");
  expect(await line(again, `said ${again.pid} `)).toMatch(/ --headless=new a b$/);
});
