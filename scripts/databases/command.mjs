import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline/promises";
import { setTimeout as wait } from "node:timers/promises";
import { loadCarry } from "../backup/carry.mjs";
import { allDatabases, describeTarget } from "../service/deployment.mjs";
import { databasesOf } from "../service/migrate.mjs";
import { readOptions } from "../service/options.mjs";
import { keepPrivate } from "../service/private.mjs";
import { Refusal } from "../setup/project.mjs";
import { execute, quoted } from "./execute.mjs";

const USAGE = `Usage: npm run admin -- databases [--remote]
       npm run admin -- move <organization> <database> [--yes] [--undo] [--remote]`;
const OPTIONS = { databases: ["--remote"], move: ["--remote", "--yes", "--undo"] };
const WORDS = { databases: 1, move: 3 };
/** Largest size of a D1 database, bytes. */
const MAX_BYTES = 10_000_000_000;
/** Time between two looks at a move, milliseconds. */
const LOOK_MS = 3_000;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads the command. @throws Refusal with the correct usage */
export function readDatabasesCommand(args) {
  const words = args.filter((arg) => !arg.startsWith("--"));
  const [verb, organization = "", database = ""] = words;
  const options = args.filter((arg) => arg.startsWith("--"));
  const unknown = options.find((option) => !OPTIONS[verb]?.includes(option));
  if (unknown !== undefined) throw new Refusal(`${unknown} is an unknown option of ${verb}. ${USAGE}`);
  if (words.length !== WORDS[verb] && !(options.includes("--undo") && words.length === 2)) throw new Refusal(USAGE);
  if (verb === "move" && !ID.test(organization))
    throw new Refusal(`"${organization}" is not the id of an organization.`);
  const has = (option) => options.includes(option);
  return { verb, organization, database, remote: has("--remote"), isConfirmed: has("--yes"), undoes: has("--undo") };
}

/** Prints each database with its bucket, its workspaces and its size. */
async function listDatabases(target) {
  const { workspaces, directory } = databasesOf(target);
  for (const one of allDatabases({ workspaces, directory })) {
    const count = "SELECT count(*) AS here FROM residents WHERE state IN ('here', 'leaving')";
    const [{ results, meta }] = await execute(one.binding, target, count);
    const [{ here }] = results;
    const size = meta.size_after;
    const share = `${(size / 1e9).toFixed(2)} GB (${Math.round((100 * size) / MAX_BYTES)} %)`;
    const facts = [one.region ?? "no region", one.state ?? "", one === directory ? "directory" : ""].filter(Boolean);
    console.log(
      `${one.name}: ${one.entry.database_name}, bucket ${one.objects.bucket_name}, ${facts.join(", ")}: ${here} ${here === 1 ? "workspace" : "workspaces"}, ${share}`,
    );
  }
}

/** The move of the workspaces with a number, with the progress of its job. */
async function readMove(directory, target, number) {
  const [{ results }] = await execute(
    directory.binding,
    target,
    `SELECT m.*, j.progress_done AS done, j.progress_total AS total FROM moves m LEFT JOIN jobs j ON j.id = m.id WHERE m.number = ${number}`,
  );
  return results[0];
}

/** Statements that begin a move, and queue its job for the sweeper. The job has the id of the move. */
export function moveStatements({ id, number, organization, source, database, now }) {
  const values = [number, quoted(id), quoted(organization), quoted(source), quoted(database), "'copying'", "''", now];
  const payload = quoted(JSON.stringify({ number, moveId: id }));
  return [
    `INSERT INTO moves (number, id, workspace_id, source, target, state, token, created_at)
     SELECT ${values.join(", ")} WHERE EXISTS (SELECT 1 FROM workspaces WHERE id = ${quoted(organization)} AND database = ${quoted(source)})
     ON CONFLICT (number) DO UPDATE SET id = excluded.id, workspace_id = excluded.workspace_id, source = excluded.source,
       target = excluded.target, state = excluded.state, token = '', created_at = excluded.created_at, requested_by = NULL,
       closed_at = NULL, switched_at = NULL, opened_at = NULL, finished_at = NULL, reason = NULL
     WHERE state IN ('finished', 'undone')`,
    `INSERT INTO jobs (id, kind, lane, payload, status, run_at, sent_at, request_id, created_at)
     SELECT id, 'move-workspace', 'light', ${payload}, 'queued', ${now}, 0, id, ${now} FROM moves WHERE id = ${quoted(id)}`,
    `INSERT INTO audit_entries (id, actor_kind, action, subject_type, subject_id, details, request_id, created_at)
     SELECT ${quoted(randomUUID())}, 'system', 'organization.move-begun', 'organization', workspace_id,
       json_object('from', source, 'to', target), id, ${now} FROM moves WHERE id = ${quoted(id)}`,
    `SELECT id FROM moves WHERE id = ${quoted(id)}`,
  ];
}

async function confirm(question, { isConfirmed }) {
  if (isConfirmed) return;
  if (!process.stdin.isTTY) throw new Refusal("Add --yes to begin.");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`${question} Enter "yes": `);
  terminal.close();
  if (answer.trim() !== "yes") throw new Refusal("Nothing was moved.");
}

/** Shows the progress of a move until people can change the organization again. */
async function follow(directory, target, number) {
  for (let last = ""; ; await wait(LOOK_MS)) {
    const { state, done, total, reason } = await readMove(directory, target, number);
    const line = total ? `${state}: ${done} of ${total}` : state;
    if (line !== last) console.log(line);
    last = line;
    if (state === "opened" || state === "finished")
      return console.log("The organization has moved, and is open to changes.");
    if (state === "undone") throw new Refusal(`The move was undone: ${reason ?? "no reason is known"}`);
  }
}

async function move(command, target) {
  const { organization, database } = command;
  const { workspaces, directory } = databasesOf(target);
  const [{ results }] = await execute(
    directory.binding,
    target,
    `SELECT number, database FROM workspaces WHERE id = ${quoted(organization)}`,
  );
  const [place] = results;
  if (place === undefined) throw new Refusal(`No database has the organization ${organization}.`);
  const { number, database: source } = place;
  if (command.undoes) {
    await execute(
      directory.binding,
      target,
      `UPDATE moves SET state = 'undoing', reason = 'The operator has undone it.'
      WHERE number = ${number} AND state = 'copying'`,
    );
    return follow(directory, target, number).catch((thrown) => console.log(thrown.message));
  }
  const from = workspaces.find(({ name }) => name === source);
  const to = workspaces.find(({ name }) => name === database);
  if (to === undefined) throw new Refusal(`No database has the name ${database}.`);
  if (from === undefined || source === database) throw new Refusal(`The organization is in ${source}.`);
  const { CONTENTS_SQL, secondsOf } = await loadCarry();
  const counted = CONTENTS_SQL.replaceAll("?1", quoted(JSON.stringify([organization])));
  const [{ results: found }] = await execute(from.binding, target, counted);
  const { rows, passages, objects } = found[0];
  const hasTwoBuckets = from.objects.bucket_name !== to.objects.bucket_name;
  console.log(
    `${rows} rows, ${passages} passages${hasTwoBuckets ? ` and ${objects} objects in another bucket` : ""}. Closed to changes for about ${secondsOf({ rows, passages, objects }, hasTwoBuckets)} seconds.`,
  );
  await confirm(`Move ${organization} from ${source} to ${database}?`, command);
  const begun = { id: randomUUID(), number, organization, source, database, now: Date.now() };
  const answers = await execute(directory.binding, target, moveStatements(begun));
  if (answers.at(-1).results.length === 0) throw new Refusal("A move of this organization is under way.");
  return follow(directory, target, number);
}

/** Runs `npm run admin -- databases` or `npm run admin -- move`. */
export async function runDatabases(args) {
  const command = readDatabasesCommand(args);
  const target = { stateDir: readOptions().stateDir, remote: command.remote };
  if (!command.remote) keepPrivate(target.stateDir);
  console.log(`Reaching ${describeTarget(target)} …`);
  await (command.verb === "move" ? move(command, target) : listDatabases(target));
}
