import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { machine, table, writeSection } from "../support/results";
import { type Input, makeInputs } from "./inputs";

/** Targets: CPU time of the whole job divided by the CPU time of jpeg-js, and memory above the file, megabytes. */
const TARGETS = { ratio1080p: 0.6, ratio24: 0.15, peakMb: 40 };
const NAMES = ["ours", "jpeg-js", "photon", "jpeg-turbo"] as const;

interface Measured {
  cpuMs: number;
  peakMb: number;
}

/** Compiles to JavaScript first: compilation in the same process would change the memory figures. */
const script = join(import.meta.dirname, "../../.cache/bench-jpeg/measure.mjs");
await build({
  entryPoints: [join(import.meta.dirname, "measure.ts")],
  outfile: script,
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
});

function measure(name: string, { file }: Input, small: string): Measured | null {
  const options = ["--expose-gc", "--max-old-space-size=8192"];
  const { status, stdout } = spawnSync(process.execPath, [...options, script, name, file, small], { encoding: "utf8" });
  return status === 0 ? (JSON.parse(stdout) as Measured) : null;
}

const folder = mkdtempSync(join(tmpdir(), "bench-jpeg-"));
const missed: string[] = [];
const rows: string[][] = [];
try {
  const { inputs, small } = makeInputs(folder);
  for (const input of inputs) {
    const measured = Object.fromEntries(NAMES.map((name) => [name, measure(name, input, small)]));
    const { ours, "jpeg-js": jpegJs } = measured;
    if (ours == null || jpegJs == null) throw new Error(`${input.file}: no measurement`);
    const ratio = ours.cpuMs / jpegJs.cpuMs;
    const cells = NAMES.map((name) => {
      const result = measured[name];
      return result == null ? "fails" : `${result.cpuMs.toFixed(0)} ms, ${result.peakMb.toFixed(0)} MB`;
    });
    const mb = (statSync(input.file).size / 1e6).toFixed(1);
    rows.push([`${input.size} ${input.coding}`, `${mb} MB`, ...cells, ratio.toFixed(2)]);
    console.log(rows.at(-1)?.join(" | "));
    if (input.size === "1080p" && ratio > TARGETS.ratio1080p) missed.push(`${input.size} ${input.coding}: ratio`);
    if (input.size.startsWith("24 MP") && /baseline/.test(input.coding) && ratio > TARGETS.ratio24)
      missed.push(`${input.size} ${input.coding}: ratio`);
    if (input.size.startsWith("24 MP") && ours.peakMb > TARGETS.peakMb)
      missed.push(`${input.size} ${input.coding}: memory`);
  }
} finally {
  rmSync(folder, { recursive: true });
}

writeSection(
  "JPEG",
  `${machine()}. Each cell is a separate process: least CPU time of five
runs, and the memory that the first one took beside the file. Ours verifies the whole file and makes thumbnail and
preview; jpeg-js and jpeg-turbo (wasm) decode alone; photon decodes, resizes to 640 pixels and encodes. The ratio is
ours over jpeg-js: wanted are at most ${TARGETS.ratio1080p} at 1080p and ${TARGETS.ratio24} at 24 MP baseline, and at most ${TARGETS.peakMb} MB there in any
coding. ${missed.length === 0 ? "All hold." : `Missed: ${missed.join("; ")}.`}

${table(["picture", "file", ...NAMES, "ratio"], rows)}`,
);
if (missed.length > 0) throw new Error(`targets missed: ${missed.join("; ")}`);
