import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/** Runs a script of the project with `--remote`, as a user who signed in with `wrangler login`. @returns the credentials that the API got */
async function credentialsOf(script: string, ...args: string[]): Promise<Set<string | undefined>> {
  const home = mkdtempSync(join(tmpdir(), "home-"));
  const seen = new Set<string | undefined>();
  const api = createServer((request, response) => {
    seen.add(request.headers.authorization);
    response.writeHead(403, { "content-type": "application/json" });
    response.end('{"success":false,"errors":[{"code":7403,"message":"not this account"}],"messages":[],"result":null}');
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
  await new Promise<void>((done) => execFile(process.execPath, [script, ...args, "--remote"], { env }, () => done()));
  return seen;
}

test.each([
  ["scripts/admin.mjs", ["grant", "operator@example.org"]],
  ["scripts/backup/backup.mjs", [join(tmpdir(), "never-written")]],
])("%s --remote uses the sign-in of `wrangler login`", async (script, args) => {
  expect(await credentialsOf(script, ...args)).toEqual(new Set(["Bearer token-of-login"]));
});
