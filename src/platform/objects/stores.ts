import type { Settings } from "../settings";
import { type BucketPair, openPair } from "./pair";
import { type BucketPlace, type ObjectStore, openObjectStore } from "./store";

/** The object stores of the service: one for each bucket. The objects of a workspace are in the bucket of its database. */
export interface ObjectStores {
  /** Each store once. */
  readonly all: readonly ObjectStore[];
  /** The only store. If there are several, one that refuses every call until the context chooses a database. */
  readonly unchosen: ObjectStore;
  /** The store of the workspaces of a database. Databases with one bucket have the same one. */
  of(database: string): ObjectStore;
  /** The store of the bucket that a signed address names. Null if the service does not have that bucket any more. */
  named(binding: string | null): ObjectStore | null;
  /** The buckets of two databases, for a workspace that moves from one to the other. Null if they have one bucket. */
  between(source: string, target: string): BucketPair | null;
}

const refuse = (): never => {
  throw new Error("an object of a workspace, but nothing says in which database the workspace is");
};

/** The store of a context that has not chosen a database. There is no default among several buckets. */
const NO_STORE: ObjectStore = {
  ...{ signUpload: refuse, signDownload: refuse, head: refuse, read: refuse },
  ...{ write: refuse, create: refuse, list: refuse, remove: refuse },
};

/** The buckets of databases by their names. Other databases have the bucket of the service. */
export type Buckets = ReadonlyMap<string, BucketPlace>;

/** The bucket of a database. @param service the bucket of the service */
export const bucketOf = (service: R2Bucket, buckets: Buckets, database: string): R2Bucket =>
  buckets.get(database)?.bucket ?? service;

/**
 * Opens the stores of all buckets.
 * @param service the bucket of the service, for databases that name none
 * @param databases the names of the workspace databases
 */
export function openObjectStores(
  service: R2Bucket,
  buckets: Buckets,
  databases: readonly string[],
  settings: Settings,
): ObjectStores {
  const own = openObjectStore({ bucket: service, binding: null, s3: {} }, settings);
  const byBinding = new Map<string | null, ObjectStore>([[null, own]]);
  for (const place of buckets.values())
    if (!byBinding.has(place.binding)) byBinding.set(place.binding, openObjectStore(place, settings));
  const bindingOf = (database: string): string | null => buckets.get(database)?.binding ?? null;
  const of = (database: string): ObjectStore => byBinding.get(bindingOf(database)) ?? own;
  const used = new Set(databases.map(of));
  const [only] = used;
  return {
    all: [...byBinding.values()],
    unchosen: used.size === 1 && only !== undefined ? only : NO_STORE,
    of,
    named: (binding) => byBinding.get(binding) ?? null,
    between: (source, target) =>
      of(source) === of(target)
        ? null
        : openPair(bucketOf(service, buckets, source), bucketOf(service, buckets, target)),
  };
}
