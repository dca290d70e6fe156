import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { unlessDone } from "../../scripts/setup/stamp.mjs";

/** Makes `made.txt` in a folder, unless its stamp says that it is there. @returns whether it was made. */
async function make(folder: string): Promise<boolean> {
  let isMade = false;
  await unlessDone({ stamp: join(folder, "stamp.json"), inputs: ["package.json"] }, async () => {
    isMade = true;
    writeFileSync(join(folder, "made.txt"), "");
    return [join(folder, "made.txt")];
  });
  return isMade;
}

test("work is done once, and again in a copy without its outputs", async () => {
  const root = mkdtempSync(join(tmpdir(), "stamp-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [folder, copy] = [join(root, "one"), join(root, "two")];
  mkdirSync(folder);
  expect([await make(folder), await make(folder)]).toEqual([true, false]);
  cpSync(folder, copy, { recursive: true });
  expect(await make(copy)).toBe(false);
  rmSync(join(copy, "made.txt"));
  expect(await make(copy)).toBe(true);
  expect(existsSync(join(copy, "made.txt"))).toBe(true);
});
