import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { RunningService } from "../system/support/running";

let service: RunningService;
const folder = mkdtempSync(join(tmpdir(), "first-steps-"));

beforeAll(async () => {
  service = await RunningService.start({ FIRST_USER_IS_ADMIN: "true" });
  mkdirSync(join(folder, "state"));
});

afterAll(async () => {
  await service?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const blocksOf = (page: string): string[] =>
  [...readFileSync(page, "utf8").matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, body = ""]) => body);

test("the README's first calls and the tutorial's steps end with a sentence and an image", async () => {
  const [, calls = ""] = blocksOf("README.md");
  const [start = "", allow = "", create = "", device = "", history = ""] = blocksOf("docs/tutorial/first-steps.md");
  expect(start).toContain("npm start");
  expect(device).toContain("npm run camera");
  const script = [
    "set -euo pipefail",
    calls,
    allow,
    create,
    // The tutorial enters the code in another terminal.
    `printf '%s\\n' "$CODE" | ${device.trim()} --url $BASE > ${folder}/device.log 2>&1 &`,
    history,
  ]
    .join("\n")
    .replaceAll("http://127.0.0.1:8787", service.url)
    .replaceAll(".state/", `${folder}/state/`);
  // A separate process group, so that the device ends with it.
  const bash = spawn("bash", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(bash, "exit");
  let stdout = "";
  bash.stdout.on("data", (chunk) => (stdout += chunk));
  try {
    expect(await ended).toEqual([0, null]);
  } finally {
    if (bash.pid !== undefined) process.kill(-bash.pid, "SIGKILL");
  }
  expect(stdout).toMatch(/"title": "report\.pdf",\s+"snippet": ".*sapphire.*",\s+"page": \d/i);
  const image = readFileSync(join(folder, "state/first-image.jpg"));
  expect(image.subarray(0, 3).toString("hex")).toBe("ffd8ff");
});
