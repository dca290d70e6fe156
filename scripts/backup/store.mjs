import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { Refusal } from "../setup/project.mjs";
import { withBucket } from "./bucket.mjs";
import { inBucket, piecesOf, putBytes, withFile } from "./bytes.mjs";

/*
 * Where backups are: a folder or a bucket, with the same files (src/backups/format.ts). Both are a `BackupStore` of the service. In
 * addition, `withBytes(name, work)` reads the bytes of an object.
 */

const propertiesOf = ({ size, httpMetadata, customMetadata, checksums }) => {
  const { sha256 } = checksums.toJSON();
  return {
    sizeBytes: size,
    httpMetadata: { ...httpMetadata },
    customMetadata: { ...customMetadata },
    ...(sha256 !== undefined && { sha256 }),
  };
};

/** Backups in a folder. @param objectsOf the bucket with the objects of a database */
export function folderStore(path, objectsOf) {
  const at = (name) => join(path, name);
  const whole = (name, fill) => {
    const file = at(name);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const done = () => renameSync(`${file}.part`, file);
    return fill(`${file}.part`, done);
  };
  return {
    read: async (name) => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : null),
    write: async (name, text) =>
      whole(name, (file, done) => {
        writeFileSync(file, text, { mode: 0o600 });
        done();
      }),
    has: async (name) => existsSync(at(name)),
    async *list(prefix) {
      const names = existsSync(at(prefix)) ? readdirSync(at(prefix)) : [];
      for (const name of names.sort()) if (!name.endsWith(".part")) yield prefix + name;
    },
    async remove(names) {
      for (const name of names) rmSync(at(name), { force: true });
      // Folders that became empty, and the folders of them.
      for (const folder of new Set(names.map(dirname)))
        try {
          rmdirSync(at(folder));
          rmdirSync(at(dirname(folder)));
        } catch {}
    },
    copyObject: async (key, name, database) => {
      const objects = objectsOf(database);
      const head = await objects.head(key);
      if (head === null) return null;
      const properties = propertiesOf(head);
      await whole(name, async (file, done) => {
        const opened = openSync(file, "w", 0o600);
        try {
          for await (const piece of piecesOf(inBucket(objects, key, head.size), properties.sha256))
            writeSync(opened, piece);
        } finally {
          closeSync(opened);
        }
        done();
      });
      return properties;
    },
    withBytes: (name, work) => {
      if (!existsSync(at(name))) throw new Refusal(`${at(name)} is missing: the backup cannot be restored.`);
      return withFile(at(name), work);
    },
  };
}

/** Backups in a bucket, of the objects of others. */
const bucketStore = (backups, objectsOf) => ({
  read: async (name) => (await backups.get(name))?.text() ?? null,
  write: async (name, text) => void (await backups.put(name, text)),
  has: async (name) => (await backups.head(name)) !== null,
  async *list(prefix) {
    for (let cursor; ; ) {
      const page = await backups.list({ prefix, ...(cursor !== undefined && { cursor }) });
      for (const { key } of page.objects) yield key;
      if (!page.truncated) return;
      ({ cursor } = page);
    }
  },
  async remove(names) {
    for (let n = 0; n < names.length; n += 1_000) await backups.delete(names.slice(n, n + 1_000));
  },
  copyObject: async (key, name, database) => {
    const objects = objectsOf(database);
    const head = await objects.head(key);
    if (head === null) return null;
    const properties = propertiesOf(head);
    await putBytes(backups, name, inBucket(objects, key, head.size), properties.sha256);
    return properties;
  },
  withBytes: async (name, work) => {
    const head = await backups.head(name);
    if (head === null) throw new Refusal(`${name} is missing in the bucket: the backup cannot be restored.`);
    return work(inBucket(backups, name, head.size));
  },
});

const refuseOlder = (path) => {
  for (const name of ["database.sql", "backup.json"])
    if (existsSync(join(path, name)))
      throw new Refusal(`${path} has a backup of an earlier version. Choose a new folder.`);
};

/**
 * Opens the place of backups while `work` runs.
 * @param {{ folder: string } | { bucket: string, stateDir: string, remote: boolean }} place
 * @param {(database: string) => import("@cloudflare/workers-types").R2Bucket} objectsOf the bucket of a database of the service
 */
export function withStore(place, objectsOf, work) {
  if (place.folder === undefined)
    return withBucket(place, (backups) => work(bucketStore(backups, objectsOf)), place.bucket);
  refuseOlder(place.folder);
  return work(folderStore(place.folder, objectsOf));
}

/** Restores an object with its metadata into the bucket of a database, unless the bucket has it. */
export const putObjectInto =
  (bucketOf, store) =>
  async (name, { key, sizeBytes, httpMetadata, customMetadata, sha256 }, database) => {
    const bucket = bucketOf(database);
    if ((await bucket.head(key))?.size === sizeBytes) return;
    await store.withBytes(name, async (bytes) => {
      if (bytes.size !== sizeBytes) throw new Refusal(`${bytes.name} is incomplete: the backup cannot be restored.`);
      await putBytes(bucket, key, bytes, sha256, { httpMetadata, customMetadata });
    });
  };

/** What the place is, for the operator. */
export const describePlace = (place) =>
  place.folder === undefined
    ? `the bucket ${place.bucket} ${place.remote ? "of the Cloudflare account" : `in ${place.stateDir}`}`
    : place.folder;
