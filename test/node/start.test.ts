import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { freePort } from "../../scripts/service/options.mjs";

const stateDir = mkdtempSync(join(tmpdir(), "start-"));
afterAll(() => rmSync(stateDir, { recursive: true, force: true }));

test("npm start serves, and nothing of it is left when npm is told to end", async () => {
  const port = await freePort();
  const settings = { PORT: String(port), STATE_DIR: stateDir, DEMO: "0" };
  const npm = spawn("npm", ["start"], { env: { ...process.env, ...settings }, detached: true });
  const ended = once(npm, "exit");
  let said = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (chunk) => (said += chunk));
  try {
    await vi.waitFor(() => expect(said).toContain("\nReady"), { timeout: 90_000, interval: 100 });
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    npm.kill("SIGTERM");
    await ended;
    const answer = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        () => "answers",
        () => "gone",
      );
    await vi.waitFor(async () => expect(await answer()).toBe("gone"), { timeout: 20_000, interval: 100 });
  } finally {
    try {
      if (npm.pid !== undefined) process.kill(-npm.pid, "SIGKILL");
    } catch {
      // All of it has ended.
    }
  }
});
