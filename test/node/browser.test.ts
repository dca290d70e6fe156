import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { unpackBrowser } from "../../scripts/setup/browser.mjs";

test.runIf(process.platform === "linux" && process.arch === "x64")(
  "two commands unpack the browser at once, and other steps keep their folder for temporary files",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "browser-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const before = process.env.TMPDIR;
    const target = join(folder, "chromium");
    const unpacking = Promise.all([unpackBrowser(target), unpackBrowser(target)]);
    expect(process.env.TMPDIR).toBe(before);
    const [browser, same] = await unpacking;
    expect(same).toBe(browser);
    expect(existsSync(browser)).toBe(true);
    expect(readdirSync(folder)).toEqual(["chromium"]);
  },
);
