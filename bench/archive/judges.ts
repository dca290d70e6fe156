import { spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { table } from "../support/results.ts";
import { openSite, prepare, type Ready } from "./site.ts";

const PORT = 9863;
/** More members, and more bytes, than a ZIP without ZIP64 can hold: 4.4 GB. */
const IMAGES = Number(process.env.BENCH_MANY ?? 66_000);
const IMAGE_BYTES = 66_000;

const PYTHON = `
import sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
assert all(i.compress_type == zipfile.ZIP_STORED for i in z.infolist())
print(len(z.infolist()))
`;

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Downloads with curl, kills it in the middle like a lost connection, and resumes it. @returns the offset of the break.
 */
async function resume(file: string, { url, totalBytes }: Ready, complaints: readonly string[]): Promise<number> {
  const first = spawn("curl", ["-s", "-o", file, url]);
  const ended = once(first, "exit");
  while (sizeOf(file) < totalBytes / 3 && first.exitCode === null) await wait(20);
  first.kill("SIGKILL");
  await ended;
  const broken = sizeOf(file);
  const { status } = spawnSync("curl", ["-s", "-C", "-", "-o", file, url]);
  if (status !== 0 || broken >= totalBytes || sizeOf(file) !== totalBytes)
    throw new Error(
      `curl: ${status}; ${broken}, then ${sizeOf(file)} of ${totalBytes} bytes\n${complaints.slice(-20).join("\n")}`,
    );
  return broken;
}

/** Checks an export that needs ZIP64 with the programs that people use for such files. */
export async function judgeExports(): Promise<string> {
  const stateDir = mkdtempSync(join(tmpdir(), "bench-judges-"));
  const bytes = randomBytes(IMAGE_BYTES);
  const complaints: string[] = [];
  const { service, person, cameraIds } = await openSite(PORT, stateDir, [{ count: IMAGES, bytes }], (line) => {
    if (/warn|error|exception/i.test(line)) complaints.push(line);
  });
  const ready = await prepare(person, cameraIds[0] ?? "");
  const file = join(stateDir, "images.zip");
  const began = performance.now();
  let broken: Awaited<ReturnType<typeof resume>>;
  try {
    broken = await resume(file, ready, complaints);
  } finally {
    await service.stop();
  }
  const seconds = (performance.now() - began) / 1_000;
  const unpacked = join(stateDir, "unpacked");
  mkdirSync(unpacked);
  const judged = (what: string, program: string, args: string[], cwd = stateDir): string[] => {
    const from = performance.now();
    const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
    if (status !== 0) throw new Error(`${program}: ${status} ${stderr.slice(0, 500)}`);
    return [what, stdout.trim() || "no errors", `${((performance.now() - from) / 1_000).toFixed(0)} s`];
  };
  const rows = [
    judged("`unzip -tqq`", "unzip", ["-tqq", file]),
    judged("Python's `zipfile`: `testzip`, members", "python3", ["-c", PYTHON, file]),
    judged("`bsdtar -x`", "bsdtar", ["-xf", file, "-C", unpacked]),
    judged(
      "`sha256sum --check --strict --quiet`",
      "sha256sum",
      ["--check", "--strict", "--quiet", "SHA256SUMS"],
      unpacked,
    ),
  ];
  rmSync(stateDir, { recursive: true });
  const gb = (count: number) => `${(count / 1e9).toFixed(2)} GB`;
  return `${IMAGES.toLocaleString("en")} images, ${ready.totalBytes.toLocaleString("en")} bytes, prepared in ${ready.seconds.toFixed(1)} s and downloaded in ${seconds.toFixed(0)} s by curl, which was killed
after ${gb(broken)} and went on with \`-C -\`.

${table(["program that checks the file", "verdict", "time"], rows)}`;
}
