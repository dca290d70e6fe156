import { retryOnce } from "../outages";

/** The properties of an object that a restore gives it again. */
export interface ObjectProperties {
  sizeBytes: number;
  httpMetadata: Record<string, unknown>;
  customMetadata: Record<string, string>;
  /** 64 hex characters. */
  sha256?: string;
}

/** The place of backups: files by name, which is a path with `/`. A folder and a bucket have the same files. */
export interface BackupStore {
  /** The text of a file; null if it does not exist. */
  read(name: string): Promise<string | null>;
  /** Writes a whole file, or nothing. */
  write(name: string, text: string): Promise<void>;
  has(name: string): Promise<boolean>;
  /** The names with a prefix that ends with `/`, in order. */
  list(prefix: string): AsyncIterable<string>;
  /** Removes files. A missing file is no error. */
  remove(names: readonly string[]): Promise<void>;
  /** Copies the bytes of an object from the bucket of a database. @returns null if that bucket does not have it */
  copyObject(key: string, name: string, database: string): Promise<ObjectProperties | null>;
}

/** Keys in one delete call of R2. */
const DELETE_BATCH = 1_000;

const repeated = <T>(call: () => Promise<T>): Promise<T> => retryOnce("object store", () => true, call);

/** Backups in a bucket. The bytes of objects pass as a stream from the bucket of their database. */
export function openBackupStore(backups: R2Bucket, objectsOf: (database: string) => R2Bucket): BackupStore {
  return {
    async read(name) {
      const found = await repeated(() => backups.get(name));
      return found === null ? null : found.text();
    },
    async write(name, text) {
      await repeated(() => backups.put(name, text));
    },
    async has(name) {
      return (await repeated(() => backups.head(name))) !== null;
    },
    async *list(prefix) {
      for (let cursor: string | undefined; ; ) {
        const page: R2Objects = await repeated(() => backups.list({ prefix, ...(cursor !== undefined && { cursor }) }));
        for (const { key } of page.objects) yield key;
        if (!page.truncated) return;
        ({ cursor } = page);
      }
    },
    async remove(names) {
      for (let at = 0; at < names.length; at += DELETE_BATCH)
        await repeated(() => backups.delete(names.slice(at, at + DELETE_BATCH)));
    },
    copyObject: (key, name, database) =>
      repeated(async () => {
        const found = await objectsOf(database)
          .get(key)
          .catch((thrown: unknown) => {
            // R2 refuses the name, so there is no such object.
            if (/\(10020\)/.test(String(thrown))) return null;
            throw thrown;
          });
        if (found === null) return null;
        const { sha256 } = found.checksums.toJSON();
        await backups.put(name, found.body, sha256 === undefined ? {} : { sha256 });
        return {
          sizeBytes: found.size,
          httpMetadata: { ...found.httpMetadata },
          customMetadata: { ...found.customMetadata },
          ...(sha256 !== undefined && { sha256 }),
        };
      }),
  };
}
