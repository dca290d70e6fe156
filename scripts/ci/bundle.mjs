import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { bundleWorker } from "../service/prepared.mjs";
import { main, Refusal, ROOT } from "../setup/project.mjs";

/** Limit of the free plan for the compressed bundle; the paid plan allows 10 MiB. */
const BUDGET_BYTES = 3 * 1024 ** 2;
const OUT = join(ROOT, ".build/bundle");

/** Builds the bundle of a deployment, and fails if it exceeds the budget. */
main(async () => {
  await bundleWorker(OUT);
  const sent = readdirSync(OUT, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && !/\.(map|md)$/.test(file.name))
    .map((file) => ({ name: file.name, bytes: gzipSync(readFileSync(join(file.parentPath, file.name))).length }))
    .sort((a, b) => b.bytes - a.bytes);
  const total = sent.reduce((sum, { bytes }) => sum + bytes, 0);
  const kib = (bytes) => `${Math.round(bytes / 1024)} KiB`;
  for (const { name, bytes } of sent) console.log(`${kib(bytes).padStart(10)}  ${name}`);
  console.log(`${kib(total).padStart(10)}  compressed in total; the budget is ${kib(BUDGET_BYTES)}`);
  if (total > BUDGET_BYTES) throw new Refusal("The bundle exceeds its budget.");
});
