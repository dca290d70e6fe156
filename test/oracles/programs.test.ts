import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** The programs that the tests of this folder need, each with arguments that print its version. */
const PROGRAMS: readonly [string, ...string[]][] = [
  ["pdftotext", "-v"],
  ["gropdf", "-v"],
  ["qpdf", "--version"],
  ["unzip", "-v"],
  ["djpeg", "-version"],
  ["python3", "--version"],
  ["bsdtar", "--version"],
  ["ffmpeg", "-version"],
  ["sha256sum", "--version"],
  ["curl", "--version"],
];

test.each(PROGRAMS)("%s is installed (.ci/run installs what is missing)", (program, ...args) => {
  const { error, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", input: "" });
  expect(error).toBeUndefined();
  expect(`${stdout}${stderr}`).toMatch(/\d+\.\d+/);
});
