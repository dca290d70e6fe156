import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs `work` with a temporary folder, and deletes the folder afterwards. */
export async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "document-workspace-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

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
        database.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`);
      } finally {
        database.close();
      }
    }
  }
}

/**
 * Runs `work` on a copy of the list of objects of a local bucket. The service can run meanwhile: without a copy, service and
 * tool would lock each other out. The bytes are not copied.
 */
export const withFrozenBucket = ({ stateDir, remote }, work) => {
  if (remote) return work({ stateDir, remote });
  return withFolder(async (folder) => {
    const objects = join(stateDir, "v3/r2");
    // A state without any object has no such folder.
    if (existsSync(objects)) copyState(objects, join(folder, "v3/r2"), await import("node:sqlite"));
    return work({ stateDir: folder, remote });
  });
};
