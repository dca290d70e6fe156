import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { withFolder } from "./database.mjs";
import { quoted } from "./sql.mjs";

/** Copies each database in a consistent state, and links files that never change. */
function copyState(from, to, { DatabaseSync }) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && entry.name === "blobs") symlinkSync(source, target, "junction");
    else if (entry.isDirectory()) copyState(source, target, { DatabaseSync });
    else if (entry.name.endsWith(".sqlite")) {
      const database = new DatabaseSync(source, { readOnly: true });
      try {
        database.exec(`VACUUM INTO ${quoted(target)}`);
      } finally {
        database.close();
      }
    }
  }
}

/**
 * Runs `work` on a copy of the database and the bucket of a local service. The service can run meanwhile: without a
 * copy, service and tool would lock each other out. The bucket is copied last, so it has all objects of the database.
 */
export const withFrozenState = ({ stateDir, remote }, work) => {
  if (remote) return work({ stateDir, remote });
  return withFolder(async (folder) => {
    const sqlite = await import("node:sqlite");
    for (const part of ["d1", "r2"]) copyState(join(stateDir, "v3", part), join(folder, "v3", part), sqlite);
    return work({ stateDir: folder, remote });
  });
};
