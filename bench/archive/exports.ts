import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { localSecrets } from "../../scripts/secrets.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { table } from "../support/results.ts";
import { measureMemory } from "./memory.ts";
import { openSite, prepare } from "./site.ts";

const [PORT, USUAL_PORT] = [9861, 9862];
const IMAGES = Number(process.env.BENCH_IMAGES ?? 10_000);
const IMAGE_BYTES = 1_000_000;
/** The request for both ways. */
const COMPARED = IMAGES / 10;
const MIB = 1024 * 1024;
const image = randomBytes(IMAGE_BYTES);

/** Milliseconds to the first byte and to the last, of `length` bytes from `offset`. */
async function fetchRange(url: string, offset: number, length: number): Promise<{ first: number; all: number }> {
  const started = performance.now();
  const response = await fetch(url, { headers: { range: `bytes=${offset}-${offset + length - 1}` } });
  const reader = response.body?.getReader();
  let first = 0;
  let received = 0;
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) break;
    first ||= performance.now() - started;
    received += value.length;
  }
  if (response.status !== 206 || received !== length)
    throw new Error(`${response.status}, ${received} of ${length} bytes`);
  return { first, all: performance.now() - started };
}

interface Fetched {
  /** Milliseconds to the first byte. */
  first: number;
  seconds: number;
  received: number;
}

/** Fetches a whole export. @returns the times to its first byte and to its end */
async function fetchAll(url: string, expected: number | null): Promise<Fetched> {
  const started = performance.now();
  const response = await fetch(url);
  let first = 0;
  let received = 0;
  for await (const chunk of response.body ?? []) {
    first ||= performance.now() - started;
    received += (chunk as Uint8Array).length;
  }
  if (expected !== null && received !== expected) throw new Error(`${received} of ${expected} bytes`);
  return { first, seconds: (performance.now() - started) / 1_000, received };
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

async function medianRange(url: string, offset: number): Promise<{ first: number; all: number }> {
  const runs = [];
  for (let n = 0; n < 9; n++) runs.push(await fetchRange(url, offset, MIB));
  return { first: median(runs.map((r) => r.first)), all: median(runs.map((r) => r.all)) };
}

export async function measureExports(): Promise<string> {
  const stateDir = mkdtempSync(join(tmpdir(), "bench-exports-"));
  const { service, person, cameraIds } = await openSite(PORT, stateDir, [
    { count: IMAGES, bytes: image },
    { count: COMPARED, bytes: image },
  ]);
  const [large = "", some = ""] = cameraIds;
  const ready = await prepare(person, large);
  const compared = await prepare(person, some);
  await fetchAll(compared.url, compared.totalBytes);
  const far = Math.floor(ready.totalBytes * 0.9);
  const [at0, atFar] = [await medianRange(ready.url, 0), await medianRange(ready.url, far)];
  const ours = await fetchAll(compared.url, compared.totalBytes);
  const whole = await fetchAll(ready.url, ready.totalBytes);
  await service.stop();
  const config = "bench/archive/usual.toml";
  const usual = await serve({ port: USUAL_PORT, stateDir, secretsFile: localSecrets(stateDir), config });
  const address = `${usual.url}/?camera=${some}`;
  await fetchAll(`${address}&limit=${COMPARED / 10}`, null);
  const streamed = await fetchAll(address, null);
  await usual.stop();
  rmSync(stateDir, { recursive: true });
  const memory = {
    whole: await measureMemory("/ours", image, IMAGES),
    ours: await measureMemory("/ours", image, COMPARED),
    streamed: await measureMemory("/streamed", image, COMPARED),
  };
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  const mb = (value: number) => `${value.toFixed(0)} MB`;
  const gb = (bytes: number) => `${(bytes / 1e9).toFixed(2)} GB`;
  const rate = ({ received, seconds }: Fetched) => `${(received / 1e6 / seconds).toFixed(0)} MB/s`;
  const rows = [
    ["first byte", ms(whole.first), ms(ours.first), ms(streamed.first), "≤ 1 s"],
    ["memory above idle", mb(memory.whole), mb(memory.ours), mb(memory.streamed), "≤ 16 MB"],
    ["all of it", `${gb(whole.received)}, ${rate(whole)}`, rate(ours), rate(streamed), ""],
    ["1 MiB at 0: first byte, last", `${ms(at0.first)}, ${ms(at0.all)}`, "", "no ranges", ""],
    [`1 MiB at ${gb(far)}`, `${ms(atFar.first)}, ${ms(atFar.all)}`, "", "no ranges", "as at 0"],
    ["size known before", "yes", "yes", "no", ""],
  ];
  return `Images of 1 MB, one object read again and again, from \`wrangler dev\` on this machine. The usual way streams the same
images through fflate's \`Zip\`. Ranges: median of nine. Memory: of a workerd process that does nothing else, with a heap of at most 16 MB so that garbage does not stand in it, over
what it held after it had sent a tenth of the same; the images come to it by HTTP.
Preparation of ${IMAGES.toLocaleString("en")} images: ${ready.seconds.toFixed(1)} s.

${table(["", `${IMAGES.toLocaleString("en")}, from the manifest`, `${COMPARED.toLocaleString("en")}, from the manifest`, `${COMPARED.toLocaleString("en")}, streamed`, "wanted"], rows)}`;
}
