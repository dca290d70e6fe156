import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { nodeForTools, ROOT, toolEnvironment } from "../setup/project.mjs";

/** Number of frames of the large archive. With one every 20 minutes, they cover more than four months. */
export const MANY_FRAMES = 10_000;
/** Age of the frame that the pages show in the middle of the archive, milliseconds. */
export const LONG_AGO_MS = 83 * 86_400_000;

/**
 * Gives a camera of the demo an archive of 10,000 frames.
 * @param {{ stateDir: string, secretsFile: string, camera: import("../seed/cameras.mjs").SeededCamera }} demo
 */
export async function writeManyFrames({ stateDir, secretsFile, camera }) {
  const script = join(ROOT, "scripts/screenshots/write-many-frames.mjs");
  await promisify(execFile)(nodeForTools(), [script, stateDir, secretsFile, JSON.stringify(camera)], {
    cwd: ROOT,
    env: toolEnvironment({ CI: "true" }),
  });
}
