import { pathToFileURL } from "node:url";
import { allDatabases } from "../service/deployment.mjs";
import { databasesOf } from "../service/migrate.mjs";
import { Refusal } from "../setup/project.mjs";
import { withBuckets } from "./bucket.mjs";
import { loadCarry } from "./carry.mjs";
import { runCommand } from "./command.mjs";
import { confirm } from "./confirm.mjs";
import { openDatabases, tablesOf } from "./database.mjs";
import { withFrozenBucket } from "./freeze.mjs";
import { describePlace, withStore } from "./store.mjs";

const DAY_MS = 86_400_000;

/**
 * The databases by name. A local file shows one state of all rows for as long as somebody reads, so it needs no fence.
 * @param {Map<string, object>} databases
 */
async function withRows([[name, database], ...others], work, opened = new Map()) {
  const next = (from) => {
    const all = new Map([...opened, [name, from]]);
    return others.length === 0 ? work(all) : withRows(others, work, all);
  };
  if (database.readAtOneMoment === null) return next({ name, source: database });
  return database.readAtOneMoment(async (source) => {
    // The first reading begins that state. The list of objects is copied after it, so that it has what the rows name.
    await source.batch([{ sql: "SELECT 1 FROM residents LIMIT 1", params: [] }]);
    return next({ name, source, readAtOneMoment: (read) => read(source) });
  });
}

const withObjects = (place, target, work) =>
  withFrozenBucket(target, (frozen) =>
    withBuckets(frozen, (objectsOf) => withStore(place, objectsOf, work), databasesOf(target)),
  );

/** @throws Refusal if the place is a bucket in which the service keeps its own objects */
function refuseOwnBucket({ bucket }, target) {
  const own = allDatabases(databasesOf(target)).map(({ objects }) => objects.bucket_name);
  if (own.includes(bucket))
    throw new Refusal(`${bucket} has the objects of the service itself. Make a bucket for the backups.`);
}

/** Asks before it writes to a folder or bucket that has no backup, but something else. @throws Refusal without the answer */
export async function confirmPlace(store, place, { isConfirmed }) {
  const has = async (prefix) => (await store.list(prefix).next()).done === false;
  const isForeign = !isConfirmed && (await has("")) && !(await has("backups/"));
  await confirm(isForeign ? `${describePlace(place)} has no backup, but something else.` : null, {
    question: "Back up into it?",
    advice: "Choose an empty place, or add --yes.",
    nothing: "Nothing was backed up.",
  });
}

/**
 * Takes a backup with the code of the service's nightly job, and then removes the backups that are older than `keepDays`. The service can
 * run meanwhile: a resource that is deleted in between keeps its bytes for the recovery window.
 */
export async function backup(place, target, { keepDays = 0, isConfirmed = false } = {}) {
  refuseOwnBucket(place, target);
  const carry = await loadCarry();
  const opened = await openDatabases(target, { readOnly: true });
  const { directory, directoryName, workspaces } = opened;
  const tables = tablesOf(carry, opened);
  try {
    await withRows([...new Map([...workspaces, [directoryName, directory]])], (from) =>
      withObjects(place, target, async (store) => {
        await confirmPlace(store, place, { isConfirmed });
        const given = {
          ...{ store, tables, schema: carry.SCHEMA_VERSION },
          ...{ databases: [...workspaces.keys()].map((name) => from.get(name)), directory: from.get(directoryName) },
          ...{ mayContinue: () => true, now: Date.now() },
        };
        const manifest = await carry.takeBackup(given, await carry.beginBackup(given));
        const { startedAtUtc, workspaces: count, rows, objects: copied, missing } = manifest;
        console.log(
          `${describePlace(place)} has ${count} workspaces with ${rows} rows and ${copied} objects, of ${startedAtUtc} or later.`,
        );
        if (missing > 0)
          console.log(`${missing} objects of the database are not in the bucket; the files in workspaces/ list them.`);
        await carry.removeBackups(store, Date.now() - keepDays * DAY_MS, () => true);
      }),
    );
  } finally {
    opened.close();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) runCommand("backup", backup);
