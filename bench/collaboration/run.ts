import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { WebsocketProvider } from "y-websocket";
import * as Y from "yjs";
import { localSecrets } from "../../scripts/secrets.mjs";
import { migrate } from "../../scripts/service/migrate.mjs";
import { freePort } from "../../scripts/service/options.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { machine, table, writeSection } from "../support/results.ts";

/* `npm run bench:collaboration`: unmodified providers in this process, and the running service beside it. */

const EDITS = 300;
/** Pause between two edits of a fast typist, milliseconds. */
const PAUSE = 20;
const LONG_DRAFT = 10_000;

interface Admitted {
  serverUrl: string;
  roomName: string;
  token: string;
  sharedMap: string;
}

interface Editor {
  doc: Y.Doc;
  body: Y.Text;
  provider: WebsocketProvider;
}

const stateDir = mkdtempSync(join(tmpdir(), "bench-collaboration-"));
await migrate(stateDir);
const port = await freePort();
const service = await serve({ port, stateDir, secretsFile: localSecrets(stateDir), vars: { REGISTRATION: "open" } });

async function api<T>(method: string, path: string, token?: string, body?: unknown): Promise<T> {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { "content-type": "application/json", ...(token && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

const account = { email: "ada@bench.test", password: "correct horse battery", displayName: "Ada" };
const { accessToken: token } = await api<{ accessToken: string }>("POST", "/v1/auth/register", undefined, account);
const cluster = await api<{ id: string }>("POST", "/v1/spatial/clusters", token, {
  organizationId: null,
  name: "Bench",
});
const location = await api<{ id: string }>("POST", "/v1/spatial/locations", token, {
  clusterId: cluster.id,
  name: "Bench",
});
const template = await api<{ id: string }>("POST", "/v1/reports/templates/users/me", token, {
  key: "bench",
  displayName: "Bench",
  htmlLayoutTemplate: "",
  contentTemplateJson: { body: "" },
  bodyFieldPath: "body",
});

const newReport = async (): Promise<string> =>
  (await api<{ id: string }>("POST", `/v1/reports/locations/${location.id}`, token, { templateId: template.id })).id;

const synced = (provider: WebsocketProvider): Promise<void> =>
  new Promise((done) => (provider.synced ? done() : provider.once("sync", () => done())));

async function enter(reportId: string): Promise<Editor & { joinedMs: number }> {
  const admitted = await api<Admitted>("POST", `/v1/reports/${reportId}/collaboration/bootstrap`, token);
  const doc = new Y.Doc();
  const started = performance.now();
  const provider = new WebsocketProvider(admitted.serverUrl, admitted.roomName, doc, {
    params: { token: admitted.token },
    disableBc: true,
  });
  await synced(provider);
  const body = doc.getMap(admitted.sharedMap).get("body") as Y.Text;
  return { doc, body, provider, joinedMs: performance.now() - started };
}

const quantile = (sorted: readonly number[], q: number): number => sorted[Math.floor(q * (sorted.length - 1))] ?? 0;
const inOrder = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** Time from an edit until each other editor has it, milliseconds. */
async function editToPeer(editors: readonly Editor[]): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < EDITS; n++) {
    const writer = editors[n % editors.length];
    if (writer === undefined) continue;
    const others = editors.filter((editor) => editor !== writer);
    const started = performance.now();
    const seen = others.map(
      (other) =>
        new Promise<void>((done) =>
          other.body.doc?.once("update", () => {
            times.push(performance.now() - started);
            done();
          }),
        ),
    );
    writer.body.insert(writer.body.length, "x");
    await Promise.all(seen);
    await wait(PAUSE);
  }
  return inOrder(times);
}

/** The same through a minimal relay: the lower bound of this machine. */
async function floor(): Promise<number[]> {
  const times: number[] = [];
  const server = createServer((request, response) => request.pipe(response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no address");
  for (let n = 0; n < EDITS; n++) {
    const started = performance.now();
    await (await fetch(`http://127.0.0.1:${address.port}`, { method: "POST", body: "x" })).text();
    times.push(performance.now() - started);
  }
  server.close();
  return inOrder(times);
}

const rows: string[][] = [];
const milliseconds = (value: number): string => `${value.toFixed(1)} ms`;

for (const people of [2, 20]) {
  const reportId = await newReport();
  const editors = await Promise.all(Array.from({ length: people }, () => enter(reportId)));
  const times = await editToPeer(editors);
  rows.push([`${people} people: edit to peer, p50`, milliseconds(quantile(times, 0.5)), "15 ms"]);
  rows.push([`${people} people: edit to peer, p99`, milliseconds(quantile(times, 0.99)), ""]);
  for (const { provider } of editors) provider.destroy();
}

const reportId = await newReport();
const [writer, reader] = [await enter(reportId), await enter(reportId)];
const sentFrom = performance.now();
for (let n = 0; n < LONG_DRAFT; n++) {
  writer.body.insert(Math.floor(writer.body.length / 2), "y");
  if (n % 100 === 99) await wait(5);
}
const sentAt = performance.now();
while (reader.body.length < LONG_DRAFT) await wait(5);
const readAt = performance.now();
const settled = async () => {
  const { contentJson } = await api<{ contentJson: { body: string } }>("GET", `/v1/reports/${reportId}`, token);
  return contentJson.body.length === LONG_DRAFT;
};
while (!(await settled())) await wait(50);
const edits = LONG_DRAFT.toLocaleString("en");
rows.push(
  [`${edits} edits of one person, sent in`, milliseconds(sentAt - sentFrom), ""],
  ["the last of them reaches the other user after", milliseconds(readAt - sentAt), ""],
  ["and the report's row after that", milliseconds(performance.now() - readAt), "1 s"],
);
const joins: number[] = [];
for (let n = 0; n < 10; n++) {
  const late = await enter(reportId);
  if (late.body.length !== LONG_DRAFT) throw new Error("something was lost");
  joins.push(late.joinedMs);
  late.provider.destroy();
}
rows.push([`${edits} edits, then join, p50`, milliseconds(quantile(inOrder(joins), 0.5)), "100 ms"]);
const echo = await floor();
rows.push(["an HTTP request that is echoed on this machine, p50", milliseconds(quantile(echo, 0.5)), "for comparison"]);

for (const { provider } of [writer, reader]) provider.destroy();
await service.stop();
rmSync(stateDir, { recursive: true, force: true });
const section = `${machine()}, load average ${loadavg()[0]?.toFixed(1)} at the end. Unmodified y-websocket providers.

${table(["what", "measured", "limit"], rows)}`;
console.log(section);
writeSection("Editing together", section);
process.exit(0);
