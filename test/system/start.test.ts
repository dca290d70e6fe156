import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { freePort } from "../../scripts/service/options.mjs";
import { eventually, LONG_PATIENCE } from "../support/patience";

const stateDir = mkdtempSync(join(tmpdir(), "start-"));
afterAll(() => rmSync(stateDir, { recursive: true, force: true }));

test("npm start serves, and no process remains when npm ends", async () => {
  const port = await freePort();
  const settings = { PORT: String(port), STATE_DIR: stateDir, DEMO: "0" };
  const npm = spawn("npm", ["start"], { env: { ...process.env, ...settings }, detached: true });
  const ended = once(npm, "exit");
  let said = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (chunk) => (said += chunk));
  try {
    await eventually(() => expect(said).toContain("\nReady"), LONG_PATIENCE);
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    npm.kill("SIGTERM");
    await ended;
    const answer = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        () => "answers",
        () => "gone",
      );
    await eventually(async () => expect(await answer()).toBe("gone"));
  } finally {
    try {
      if (npm.pid !== undefined) process.kill(-npm.pid, "SIGKILL");
    } catch {
      // All of it has ended.
    }
  }
});
