import { chmodSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The rights of the group and of others. */
const OTHERS = 0o077;

/** Removes the rights of other users from a file, or from a folder with its contents. Links are not followed. */
function tighten(path) {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return;
  if ((stat.mode & OTHERS) !== 0) chmodSync(path, stat.mode & 0o777 & ~OTHERS);
  if (stat.isDirectory()) for (const name of readdirSync(path)) tighten(join(path, name));
}

/**
 * Keeps the state of the local service from other users of the machine: it has everybody's documents and hashes. All files
 * that this process and its children write from now on are for this user alone; a state of an earlier version is tightened.
 * @param {string} stateDir it is made if it does not exist
 */
export function keepPrivate(stateDir) {
  process.umask(OTHERS);
  mkdirSync(stateDir, { recursive: true });
  // Nobody reaches what is in a private folder. Windows keeps rights in another way.
  if (process.platform === "win32" || (lstatSync(stateDir).mode & OTHERS) === 0) return;
  try {
    tighten(stateDir);
  } catch (cause) {
    console.warn(`Other users may be able to read ${stateDir}: its rights cannot be changed (${cause.code}).`);
  }
}
