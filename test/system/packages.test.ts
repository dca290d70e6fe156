import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { ROOT } from "../../scripts/setup/project.mjs";
import { service, useService } from "./support/desk";

/* The packed client and the packed gateway work in the folder of a stranger, who has nothing else of the project. */

useService();

const run = promisify(execFile);

/** Packs a package and unpacks it in an empty folder, with its dependencies. @returns the folder and the packed files */
async function unpacked(source: string, name: string, dependencies: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), "packed-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const own = join(folder, "node_modules", name);
  mkdirSync(own, { recursive: true });
  await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: join(ROOT, source) });
  const archive = readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? "";
  await run("tar", ["xzf", join(folder, archive), "--strip-components=1", "-C", own]);
  for (const each of dependencies) {
    mkdirSync(join(folder, "node_modules", each, ".."), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", each), join(folder, "node_modules", each));
  }
  const files = readdirSync(own, { recursive: true, encoding: "utf8" }).filter((file) => /\.\w+$/.test(file));
  return { folder, own, files: files.sort() };
}

const PROGRAM = `import { createClient, dataOf, ProblemError, type WorkspaceClient } from "document-workspace-client";
import { putWithProgress } from "document-workspace-client/browser";

const client: WorkspaceClient = createClient({ baseUrl: process.argv[2] ?? "", putBytes: putWithProgress });
const refused: string = await dataOf(client.api.GET("/v1/auth/me")).then(
  ({ memberships }) => memberships.map(({ role }) => role).join(),
  (problem: unknown) => String(problem instanceof ProblemError ? problem.code : problem),
);
console.log(refused);
`;

test("the client has types and code, and no source of the project", async () => {
  const { folder, files } = await unpacked("client", "document-workspace-client", ["@noble/hashes", "openapi-fetch"]);
  expect(files).toEqual(expect.arrayContaining(["README.md", "dist/index.js", "dist/index.d.ts", "dist/schema.d.ts"]));
  expect(files.filter((file) => !/^(?:dist\/\w+\.(?:js|d\.ts)|README\.md|package\.json)$/.test(file))).toEqual([]);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "program.ts"), PROGRAM);
  const typescript = join(ROOT, "client/node_modules/typescript/bin/tsc");
  const options = "--strict --module nodenext --target es2022 --lib es2023,dom,dom.iterable".split(" ");
  symlinkSync(join(ROOT, "node_modules/@types"), join(folder, "node_modules/@types"));
  await run(process.execPath, [typescript, ...options, "--types", "node", "program.ts"], { cwd: folder });
  const { stdout } = await run(process.execPath, ["program.js", service.url], { cwd: folder });
  expect(stdout.trim()).toBe("unauthenticated");
});

test("the gateway is one program with its unit and its installer", async () => {
  const { folder, own, files } = await unpacked("gateway", "camera-gateway");
  expect(files).toEqual(["README.md", "camera-gateway.service", "dist/gateway.mjs", "install.sh", "package.json"]);
  const alone = join(folder, "alone");
  cpSync(join(own, "dist/gateway.mjs"), join(alone, "gateway.mjs"));
  await expect(run(process.execPath, [join(alone, "gateway.mjs")])).rejects.toMatchObject({
    stderr: expect.stringContaining("gateway pair <camera>"),
  });
});
