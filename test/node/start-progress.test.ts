import { execFileSync, spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { cpuSecondsOf, cpuSecondsOfChildren, Progress } from "../../scripts/service/progress.mjs";
import { eventually } from "../support/patience";

test("a start goes on while it shows something new, and has stopped after a time without", () => {
  let now = 0;
  const progress = new Progress(90_000, () => now);
  for (let lines = 1; lines <= 20; lines++) {
    now += 80_000;
    expect(progress.hasStopped).toBe(false);
    progress.see(lines, 0);
  }
  for (let seconds = 0; seconds < 5; seconds++) {
    now += 80_000;
    progress.see(20, seconds);
  }
  // The first second was no news.
  expect(progress.hasStopped).toBe(false);
  now += 90_001;
  progress.see(20, 4);
  expect(progress.hasStopped).toBe(true);
});

test("a program that computes and prints nothing makes progress, and a program that waits does not", async () => {
  const start = (script: string) => {
    const child = spawn(process.execPath, ["-e", script], { detached: true, stdio: "ignore" });
    onTestFinished(() => void child.kill("SIGKILL"));
    return child.pid ?? expect.fail("it did not start");
  };
  const [busy, idle] = [start("for (;;);"), start("setInterval(() => {}, 1e6)")];
  await eventually(async () => expect(await cpuSecondsOf(busy)).toBeGreaterThan(0.2));
  const before = (await cpuSecondsOf(idle)) ?? expect.fail("this machine does not tell");
  const further = (await cpuSecondsOf(busy)) ?? 0;
  await eventually(async () => expect(await cpuSecondsOf(busy)).toBeGreaterThan(further));
  expect((await cpuSecondsOf(idle)) ?? 0).toBeLessThanOrEqual(before + 0.5);
});

test("the CPU of programs that have ended is counted, with the programs that they started", () => {
  const work = "while (process.cpuUsage().user < 2e5);";
  const outer = `require("node:child_process").execFileSync(process.execPath, ["-e", ${JSON.stringify(work)}])`;
  const before = cpuSecondsOfChildren() ?? expect.fail("this machine does not tell");
  execFileSync(process.execPath, ["-e", outer]);
  expect((cpuSecondsOfChildren() ?? 0) - before).toBeGreaterThanOrEqual(0.2);
});
