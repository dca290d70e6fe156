import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { NPM_FLAGS } from "../../scripts/setup/install.mjs";

/** The environment without the settings of an npm that started the tests, which may be silent. */
const env = { ...process.env };
for (const name of Object.keys(env)) if (name.startsWith("npm_config_")) delete env[name];

test("the installation prints no warnings about packages for another Node", async () => {
  const folder = mkdtempSync(join(tmpdir(), "install-"));
  try {
    mkdirSync(join(folder, "newer"));
    const newer = { name: "newer", version: "1.0.0", engines: { node: ">=999" } };
    writeFileSync(join(folder, "newer/package.json"), JSON.stringify(newer));
    const project = { name: "project", version: "1.0.0", dependencies: { newer: "file:newer" } };
    writeFileSync(join(folder, "package.json"), JSON.stringify(project));
    const install = (flags: readonly string[]) =>
      promisify(execFile)("npm", ["install", "--offline", "--ignore-scripts", ...flags], { cwd: folder, env });
    expect((await install([])).stderr).toContain("EBADENGINE");
    rmSync(join(folder, "node_modules"), { recursive: true });
    expect((await install(NPM_FLAGS)).stderr).not.toContain("EBADENGINE");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a Node that the installation has just replaced is not used again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "replaced-"));
  try {
    const node = join(folder, "node");
    copyFileSync(process.execPath, node);
    const script = `
      import { rmSync } from "node:fs";
      rmSync(process.execPath);
      const { presentNode, runsTools } = await import(${JSON.stringify(resolve("scripts/setup/project.mjs"))});
      console.log(JSON.stringify([presentNode(), runsTools()]));`;
    const { stdout } = await promisify(execFile)(node, ["--input-type=module", "--eval", script]);
    expect(JSON.parse(stdout)).toEqual(["node", false]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
