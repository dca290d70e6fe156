import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { ROOT } from "../../scripts/setup/project.mjs";

/* The packed gateway works in the folder of a stranger, who has nothing else of the project. client-package.test.ts has the client. */

const run = promisify(execFile);

/** Packs a package and unpacks it in an empty folder. @returns the folder and the packed files */
async function unpacked(source: string, name: string) {
  const folder = mkdtempSync(join(tmpdir(), "packed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const own = join(folder, "node_modules", name);
  mkdirSync(own, { recursive: true });
  await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: join(ROOT, source) });
  const archive = readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "";
  await run("tar", ["xzf", join(folder, archive), "--strip-components=1", "-C", own]);
  const files = readdirSync(own, { recursive: true, encoding: "utf8" }).filter((file) => /\.\w+$/.test(file));
  return { folder, own, files: files.sort() };
}

test("the gateway is one program with its unit and its installer", async () => {
  const { folder, own, files } = await unpacked("gateway", "camera-gateway");
  expect(files).toEqual(["README.md", "camera-gateway.service", "dist/gateway.mjs", "install.sh", "package.json"]);
  const alone = join(folder, "alone");
  cpSync(join(own, "dist/gateway.mjs"), join(alone, "gateway.mjs"));
  await expect(run(process.execPath, [join(alone, "gateway.mjs")])).rejects.toMatchObject({
    stderr: expect.stringContaining("gateway pair <camera>"),
  });
});
