import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { unpackBrowser } from "../../scripts/setup/browser.mjs";

test.runIf(process.platform === "linux" && process.arch === "x64")(
  "other steps of a first start keep their folder for temporary files while the browser is unpacked",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "browser-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const before = process.env.TMPDIR;
    const unpacking = unpackBrowser(join(folder, "chromium"));
    expect(process.env.TMPDIR).toBe(before);
    expect(existsSync(await unpacking)).toBe(true);
  },
);
