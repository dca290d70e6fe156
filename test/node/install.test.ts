import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { NPM_FLAGS } from "../../scripts/setup/install.mjs";

test("installing says nothing of packages that are for another Node", async () => {
  const folder = mkdtempSync(join(tmpdir(), "install-"));
  try {
    mkdirSync(join(folder, "newer"));
    const newer = { name: "newer", version: "1.0.0", engines: { node: ">=999" } };
    writeFileSync(join(folder, "newer/package.json"), JSON.stringify(newer));
    const project = { name: "project", version: "1.0.0", dependencies: { newer: "file:newer" } };
    writeFileSync(join(folder, "package.json"), JSON.stringify(project));
    const install = (flags: readonly string[]) =>
      promisify(execFile)("npm", ["install", "--offline", "--ignore-scripts", ...flags], { cwd: folder });
    expect((await install([])).stderr).toContain("EBADENGINE");
    rmSync(join(folder, "node_modules"), { recursive: true });
    expect((await install(NPM_FLAGS)).stderr).toBe("");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
