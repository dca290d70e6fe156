import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { ROOT } from "./project.mjs";

/** A digest of the names and contents of all files in these folders and of these files, given from the project's folder. */
function digestOf(inputs, except) {
  const hash = createHash("sha256");
  const files = inputs.flatMap((input) => {
    const found = readdirSync(join(ROOT, dirname(input)), { withFileTypes: true }).find(
      ({ name }) => join(dirname(input), name) === input,
    );
    if (found === undefined || found.isFile()) return [input];
    const inside = readdirSync(join(ROOT, input), { recursive: true, withFileTypes: true });
    return inside
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((path) => !except.includes(path))
      .map((path) => path.slice(ROOT.length + 1));
  });
  for (const file of files.sort()) {
    const content = readFileSync(join(ROOT, file));
    hash.update(`${file}\0${content.byteLength}\0`).update(content);
  }
  return hash.digest("hex");
}

/**
 * Runs work unless its last run had the same inputs and its outputs still exist. An interrupted run does not count. Outputs are
 * remembered from the folder of the stamp, so that a copied project looks for its own.
 * @param {{ stamp: string, inputs: readonly string[], except?: readonly string[] }} options the file that remembers the
 *   last run, the files and folders that the result depends on, and paths in these folders that it does not depend on
 * @param {() => Promise<readonly string[]>} work returns the files that it made
 */
export async function unlessDone({ stamp, inputs, except = [] }, work) {
  const digest = digestOf(inputs, except);
  const folder = dirname(stamp);
  const last = existsSync(stamp) ? JSON.parse(readFileSync(stamp, "utf8")) : null;
  if (last?.digest === digest && last.outputs.every((file) => existsSync(resolve(folder, file)))) return;
  rmSync(stamp, { force: true });
  const outputs = (await work()).map((file) => relative(folder, file));
  mkdirSync(folder, { recursive: true });
  writeFileSync(stamp, JSON.stringify({ digest, outputs }));
}
