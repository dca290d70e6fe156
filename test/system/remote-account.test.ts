import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { backup } from "../../scripts/backup/backup.mjs";
import { restore } from "../../scripts/backup/restore.mjs";
import { localSecrets } from "../../scripts/secrets.mjs";
import { readDeployment } from "../../scripts/service/deployment.mjs";
import { freePort } from "../../scripts/service/options.mjs";
import { copyPreparedState, preparedWorker } from "../../scripts/service/prepared.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { Refusal } from "../../scripts/setup/project.mjs";
import { readState } from "./support/state";

/*
 * The commands with `--remote`, against an account of Cloudflare that is on this machine. Wrangler itself calls the API. Cloudflare's own
 * local form of the D1 API answers the batches. The answers of the API that it does not have are recorded ones. Buckets of the runtime
 * take the place of the buckets that wrangler's remote bindings reach.
 */

const TOKEN = "a-token-of-tests";
const ACCOUNT = "0123456789abcdef0123456789abcdef";
const DATABASE = "11111111-2222-4333-8444-555555555555";

const folder = mkdtempSync(join(tmpdir(), "remote-account-"));
const [full, empty, place] = [join(folder, "full"), join(folder, "empty"), join(folder, "backups")];
/** The state that the account has, and the service that shows its database. */
let account: { state: string; service: Awaited<ReturnType<typeof serve>> } | undefined;
const { database_name: databaseName } = readDeployment().database;
const { bucket_name: bucketName } = readDeployment().bucket;

const proxied = vi.hoisted(() => ({ open: null as null | ((config: string) => Promise<unknown>) }));
vi.mock("wrangler", () => ({
  getPlatformProxy: ({ configPath }: { configPath: string }) => proxied.open?.(configPath),
}));

const rowsOfQuery = z.object({
  result: z.array(
    z.looseObject({ results: z.object({ columns: z.array(z.string()), rows: z.array(z.array(z.unknown())) }) }),
  ),
});

/** What the API was asked for, without the account. */
const asked: string[] = [];

/** The parts of the API that the commands and wrangler call. */
const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const path = new URL(request.url ?? "/", "http://api.test").pathname.replace(`/accounts/${ACCOUNT}`, "");
  asked.push(`${request.method} ${path}`);
  const send = (status: number, result: unknown, errors: unknown[] = []) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ success: status < 400, errors, messages: [], result }));
  };
  if (request.headers.authorization !== `Bearer ${TOKEN}`)
    return send(401, null, [{ code: 10_000, message: "Authentication error" }]);
  const described = { uuid: DATABASE, name: databaseName, version: "production" };
  if (request.method === "GET" && path === "/d1/database") return send(200, [described]);
  if (request.method === "GET" && [`/d1/database/${databaseName}`, `/d1/database/${DATABASE}`].includes(path))
    return send(200, described);
  const [, action] = new RegExp(`^/d1/database/${DATABASE}/(raw|query)$`).exec(path) ?? [];
  if (request.method !== "POST" || action === undefined || account === undefined)
    return send(404, null, [{ code: 7_000, message: `No route for ${request.method} ${path}` }]);
  const api = `${account.service.url}/cdn-cgi/local/explorer/api/d1/database`;
  const listed = z.object({ result: z.array(z.object({ uuid: z.string() })) });
  const { uuid } = listed.parse(await (await fetch(api)).json()).result[0] ?? {};
  const headers = { "content-type": "application/json" };
  const raw = await fetch(`${api}/${uuid}/raw`, { method: "POST", headers, body: JSON.stringify(await json(request)) });
  const given = await raw.json();
  if (!raw.ok || action === "raw") {
    response.writeHead(raw.status, headers).end(JSON.stringify(given));
    return;
  }
  // Wrangler asks for rows as objects.
  const objects = rowsOfQuery.parse(given).result.map(({ results: { columns, rows }, ...rest }) => ({
    ...rest,
    results: rows.map((row) => Object.fromEntries(columns.map((column, n) => [column, row[n]]))),
  }));
  send(200, objects);
};
const server = createServer((request, response) => void answer(request, response));

/** Lets the account have a state. */
async function connect(state: string): Promise<void> {
  await account?.service.stop();
  const service = await serve({
    ...{
      ...preparedWorker,
      hasExplorer: true,
      port: await freePort(),
      stateDir: state,
      secretsFile: localSecrets(state),
    },
    vars: { REGISTRATION: "open", RECOGNITION_BROWSERS: "0" },
  });
  account = { state, service };
}

beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  vi.stubEnv("CLOUDFLARE_API_BASE_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  vi.stubEnv("CLOUDFLARE_ACCOUNT_ID", ACCOUNT);
  vi.stubEnv("CLOUDFLARE_API_TOKEN", TOKEN);
  proxied.open = async () => {
    const runtime = new Miniflare(
      convertV4MiniflareOptions({
        ...{ modules: true, script: "export default {}", compatibilityDate: "2026-01-01" },
        r2Buckets: { BUCKET_0: `${bucketName}-${account?.state === full ? "full" : "empty"}` },
        resourcePersistencePath: join(folder, "account"),
      }),
    );
    return { env: { BUCKET_0: await runtime.getR2Bucket("BUCKET_0") }, dispose: () => runtime.dispose() };
  };
  for (const state of [full, empty]) copyPreparedState(state);
});
afterAll(async () => {
  await account?.service.stop();
  server.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const signedIn = z.object({ accessToken: z.string() });
const withId = z.object({ id: z.string() });
async function post<T extends z.ZodType>(schema: T, path: string, body: unknown, token = ""): Promise<z.infer<T>> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const response = await fetch(`${account?.service.url}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  expect(response.ok).toBe(true);
  return schema.parse(await response.json());
}

const rowsOf = (state: string) =>
  readState(state, (database) =>
    ["organizations", "memberships", "people", "users", "clusters"].map((table) => [
      table,
      database.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all(),
    ]),
  );

test("a backup of an account is restored into another one, and only there without a question", async () => {
  await connect(full);
  const person = { email: "keeper@people.test", password: "correct horse battery", displayName: "Keeper" };
  const { accessToken } = await post(signedIn, "/v1/auth/register", person);
  const { id: organizationId } = await post(withId, "/v1/orgs", { name: "Harbour" }, accessToken);
  await post(withId, "/v1/spatial/clusters", { organizationId, name: "North" }, accessToken);

  const target = { stateDir: join(folder, "no state"), remote: true };
  await backup({ folder: place }, target, { isConfirmed: false });
  expect(readdirSync(join(place, "backups"))).toHaveLength(1);
  expect(asked).toContain(`POST /d1/database/${DATABASE}/raw`);
  await expect(restore({ folder: place }, target)).rejects.toThrow(`There are accounts in`);

  await connect(empty);
  await restore({ folder: place }, target);
  expect(rowsOf(empty)).toEqual(rowsOf(full));
  await expect(restore({ folder: place }, target)).rejects.toThrow(Refusal);
  const { email, password } = person;
  await post(signedIn, "/v1/auth/login", { email, password });
});

test("a token that the account does not know changes nothing, and the refusal says so", async () => {
  vi.stubEnv("CLOUDFLARE_API_TOKEN", "another");
  const before = rowsOf(empty);
  await expect(restore({ folder: place }, { stateDir: folder, remote: true })).rejects.toThrow(/Authentication error/);
  expect(rowsOf(empty)).toEqual(before);
});
