import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/** Maximum exposure of the unit, in tenths, that `systemd-analyze security` may report. The README names it. */
const MAX_EXPOSURE = 15;

test("systemd accepts the gateway's unit, and rates its exposure as low", () => {
  const folder = mkdtempSync(join(tmpdir(), "gw-unit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const unit = join(folder, "camera-gateway.service");
  // systemd checks that the program exists.
  const text = readFileSync("gateway/camera-gateway.service", "utf8");
  writeFileSync(unit, text.replace("/usr/bin/node", process.execPath));
  const analyze = (...args: string[]) => execFileSync("systemd-analyze", [...args, unit], { encoding: "utf8" });
  expect(analyze("verify", "--man=no")).toBe("");
  // Fails when the exposure is larger.
  expect(analyze("security", "--offline=true", `--threshold=${MAX_EXPOSURE}`)).toContain("Overall exposure level");
});
