import { pathToFileURL } from "node:url";
import { allDatabases, describeTarget } from "../service/deployment.mjs";
import { databasesOf, migrateAll } from "../service/migrate.mjs";
import { Refusal } from "../setup/project.mjs";
import { withBuckets } from "./bucket.mjs";
import { loadCarry } from "./carry.mjs";
import { runCommand } from "./command.mjs";
import { confirm } from "./confirm.mjs";
import { openDatabases, requireAnswer, tablesOf } from "./database.mjs";
import { isExport, withExport } from "./exported.mjs";
import { withFrozenBucket } from "./freeze.mjs";
import { putObjectInto, withStore } from "./store.mjs";

/** What there is already where a restore writes to: accounts in a database, objects in a bucket. Null if nothing is. */
export async function presentIn(opened, target, bucketOf) {
  const { directory, workspaces } = opened;
  const has = async (database, table) =>
    (await database.batch([{ sql: `SELECT 1 FROM ${table} LIMIT 1`, params: [] }]))[0].length > 0;
  let isUsed = await has(directory, "users");
  for (const database of workspaces.values()) isUsed ||= await has(database, "residents");
  if (isUsed) return `There are accounts in ${describeTarget(target)}.`;
  const buckets = new Map(allDatabases(databasesOf(target)).map(({ name, objects }) => [objects.bucket_name, name]));
  for (const [bucket, database] of buckets)
    if ((await bucketOf(database).list({ limit: 1 })).objects.length > 0)
      return `There are objects in the bucket ${bucket}.`;
  return null;
}

/** Asks before it writes to a database with accounts, or to a bucket with objects. @throws Refusal without the answer */
async function confirmRestore(opened, target, bucketOf, { isConfirmed }) {
  await confirm(isConfirmed ? null : await presentIn(opened, target, bucketOf), {
    question: "What is there stays as it is. Restore into it?",
    advice: "Restore into an empty one, or add --yes.",
    nothing: "Nothing was restored.",
  });
}

/** The place of backups, also if the local service that writes to it runs. */
const withReadableStore = (place, objectsOf, work) =>
  place.folder === undefined
    ? withFrozenBucket(place, (frozen) => withStore({ ...place, ...frozen }, objectsOf, work))
    : withStore(place, objectsOf, work);

/** The databases as the code of the service takes them. */
const restoringInto = (opened, carry) => {
  const { directory, workspaces, open } = opened;
  const [database] = workspaces.values();
  return { tables: tablesOf(carry, opened), database, directory, databases: workspaces, open };
};

/** Says what came of one workspace. */
function report({ id, database, isPresent, people }, from, { workspaces }) {
  const { matched, added, apart } = people;
  console.log(
    isPresent
      ? `${id} was there already, and stays as it is.`
      : `${id} of ${from} is restored${workspaces.size > 1 ? ` into the database ${database}` : ""}. People: ${matched} have an account here with the same address, ${added} got one, ${apart} have none.`,
  );
}

/** Imports the export of an organization. Everything is checked before the first row is written. */
function importExport(path, target, carry, options) {
  return withExport(path, carry, ({ store, manifest, id }) =>
    withBuckets(target, async (bucketOf) => {
      await migrateAll(target);
      const opened = await openDatabases(target);
      try {
        await confirmRestore(opened, target, bucketOf, options);
        const importing = { ...restoringInto(opened, carry), store, manifest, isExport: true };
        const putObject = putObjectInto(bucketOf, store);
        report(await carry.importWorkspace({ ...importing, putObject }, id), path, opened);
        if (manifest.missing > 0)
          console.log(
            `${manifest.missing} files are not in the export, such as those in the trash, and cannot be shown.`,
          );
      } finally {
        opened.close();
      }
    }),
  );
}

/**
 * Restores a backup, or one workspace of it, into a database and a bucket. It can run again after an interruption. A workspace that
 * the database has already stays as it is.
 */
export async function restore(place, target, options = {}) {
  const { workspace, stamp, isConfirmed = false } = options;
  const carry = await loadCarry();
  const refuse = (thrown) => {
    throw thrown instanceof carry.BackupError ? new Refusal(thrown.message) : thrown;
  };
  await requireAnswer(target);
  if (place.folder !== undefined && isExport(place.folder))
    return importExport(place.folder, target, carry, { isConfirmed }).catch(refuse);
  await withBuckets(target, (bucketOf) =>
    withReadableStore(place, bucketOf, async (store) => {
      const manifest = await carry.chooseBackup(store, stamp);
      await migrateAll(target);
      const opened = await openDatabases(target);
      try {
        await confirmRestore(opened, target, bucketOf, { isConfirmed });
        const putObject = putObjectInto(bucketOf, store);
        const restoring = { ...restoringInto(opened, carry), store, manifest, putObject };
        if (workspace === undefined) {
          const { restored, present } = await carry.restoreBackup(restoring);
          console.log(`${restored} workspaces of ${manifest.startedAtUtc} are restored.`);
          if (present.length > 0) console.log(`${present.length} workspaces were there already, and stay as they are.`);
        } else {
          report(await carry.importWorkspace(restoring, workspace), manifest.startedAtUtc, opened);
        }
        if (manifest.missing > 0)
          console.log(`${manifest.missing} objects of the backup were missing when it was taken, and cannot be shown.`);
      } finally {
        opened.close();
      }
    }),
  ).catch(refuse);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) runCommand("restore", restore);
