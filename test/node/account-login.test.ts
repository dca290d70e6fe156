import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";

interface Run {
  credentials: Set<string | undefined>;
  /** The paths of the API that were called, with their queries. */
  paths: string[];
  printed: string;
}

/** The databases of the account, by name. */
const OLD = { name: "document-workspace", uuid: "00000000-0000-4000-8000-00000000000a" };
const RESTORED = { name: "harbour-restored", uuid: "00000000-0000-4000-8000-00000000000b" };

/** Runs a script of the project in `root` with `--remote`, as a user who signed in with `wrangler login`. */
async function runRemote(root: string, script: string, ...args: string[]): Promise<Run> {
  const home = mkdtempSync(join(tmpdir(), "home-"));
  const credentials = new Set<string | undefined>();
  const paths: string[] = [];
  const api = createServer((request, response) => {
    credentials.add(request.headers.authorization);
    const url = request.url ?? "";
    paths.push(url);
    const found = [OLD, RESTORED].find(({ name }) => url.includes(`/d1/database/${name}?`));
    response.writeHead(found === undefined ? 403 : 200, { "content-type": "application/json" });
    response.end(
      found === undefined
        ? '{"success":false,"errors":[{"code":7403,"message":"not this account"}],"messages":[],"result":null}'
        : JSON.stringify({ success: true, errors: [], messages: [], result: found }),
    );
  });
  await new Promise<void>((done) => api.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    api.close();
    rmSync(home, { recursive: true, force: true });
  });
  // The file that `wrangler login` writes.
  mkdirSync(join(home, ".config/.wrangler/config"), { recursive: true });
  writeFileSync(
    join(home, ".config/.wrangler/config/default.toml"),
    'oauth_token = "token-of-login"\nexpiration_time = "2099-01-01T00:00:00.000Z"\nrefresh_token = "unused"\nscopes = ["d1:write"]\n',
  );
  const { XDG_CONFIG_HOME: _, CLOUDFLARE_API_TOKEN: __, ...inherited } = process.env;
  const env = {
    ...inherited,
    HOME: home,
    CLOUDFLARE_ACCOUNT_ID: "0123456789abcdef0123456789abcdef",
    CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}/client/v4`,
  };
  const printed = await new Promise<string>((done) =>
    execFile(process.execPath, [script, ...args, "--remote"], { cwd: root, env }, (_error, stdout, stderr) =>
      done(stdout + stderr),
    ),
  );
  return { credentials, paths, printed };
}

/** A copy of the project whose wrangler.toml names another database and another bucket. */
function renamedProject(): string {
  const root = mkdtempSync(join(tmpdir(), "renamed-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const part of [
    "scripts",
    "src",
    "web/texts",
    "migrations",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
  ])
    cpSync(part, join(root, part), { recursive: true });
  symlinkSync(resolve("node_modules"), join(root, "node_modules"));
  const config = readFileSync("wrangler.toml", "utf8")
    .replace('database_name = "document-workspace"', `database_name = "${RESTORED.name}"`)
    .replace('bucket_name = "document-workspace"', 'bucket_name = "harbour-bytes"');
  writeFileSync(join(root, "wrangler.toml"), config);
  return root;
}

const COMMANDS: [script: string, args: string[]][] = [
  ["scripts/admin.mjs", ["grant", "operator@example.org"]],
  ["scripts/backup/backup.mjs", [join(tmpdir(), "never-written")]],
];

test.each(COMMANDS)("%s --remote uses the sign-in of `wrangler login`", async (script, args) => {
  const { credentials } = await runRemote(".", script, ...args);
  expect(credentials).toEqual(new Set(["Bearer token-of-login"]));
});

test.each([...COMMANDS, ["scripts/backup/restore.mjs", ["backup"]] as [string, string[]]])(
  "%s --remote reaches the database that wrangler.toml names, and says which",
  async (script, args) => {
    const root = renamedProject();
    mkdirSync(join(root, "backup/workspaces"), { recursive: true });
    writeFileSync(join(root, "backup/backup.json"), '{"format":2,"takenAtUtc":"","columns":{},"missing":[]}');
    const { paths, printed } = await runRemote(root, script, ...args);
    expect(printed).toContain(`database ${RESTORED.name} and bucket harbour-bytes of the Cloudflare account`);
    expect(
      paths.some((path) => path.includes(RESTORED.uuid)),
      paths.join("\n"),
    ).toBe(true);
    expect(paths.filter((path) => path.includes(OLD.uuid) || path.includes(OLD.name))).toEqual([]);
  },
);
