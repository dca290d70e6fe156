import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { backup, confirmPlace } from "../../scripts/backup/backup.mjs";
import { readCommand } from "../../scripts/backup/command.mjs";
import { folderStore } from "../../scripts/backup/store.mjs";
import { readDeployment } from "../../scripts/service/deployment.mjs";
import type { BackupStore } from "../../src/platform/objects/backup-store";

/* Where `npm run backup` writes to: never into what somebody else keeps, unless the operator says so. The tests have no terminal. */

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "place-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const into = (path: string, isConfirmed = false) => {
  const store = folderStore(path, () => undefined) as unknown as BackupStore;
  return confirmPlace(store, { folder: path }, { isConfirmed });
};

test("a new folder, an empty one and one with backups need no answer", async () => {
  await into(join(folder, "new"));
  await into(folder);
  mkdirSync(join(folder, "backups"));
  writeFileSync(join(folder, "backups", "2026-11-30T00-00-00Z.json"), "{}");
  writeFileSync(join(folder, "notes.txt"), "of the operator");
  await into(folder);
});

test("a folder with something else is refused without an answer, and taken with --yes", async () => {
  writeFileSync(join(folder, "photo.jpg"), "of somebody");
  await expect(into(folder)).rejects.toThrow(`${folder} has no backup, but something else. Choose an empty place`);
  // A folder for backups without a backup in it.
  mkdirSync(join(folder, "backups"));
  await expect(into(folder)).rejects.toThrow("--yes");
  await into(folder, readCommand("backup", [folder, "--yes"]).options.isConfirmed);
});

test("the bucket of the service is refused, also with --yes", async () => {
  const { bucket_name: bucket } = readDeployment().bucket;
  const place = { bucket, stateDir: folder, remote: false };
  await expect(backup(place, { stateDir: folder, remote: false }, { isConfirmed: true })).rejects.toThrow(
    `${bucket} has the objects of the service itself.`,
  );
});
