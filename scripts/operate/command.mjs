import { randomUUID } from "node:crypto";
import { loadCarry } from "../backup/carry.mjs";
import { execute } from "../databases/execute.mjs";
import { allDatabases, describeTarget } from "../service/deployment.mjs";
import { readEmail } from "../service/email.mjs";
import { databasesOf } from "../service/migrate.mjs";
import { readOptions } from "../service/options.mjs";
import { keepPrivate } from "../service/private.mjs";
import { Refusal } from "../setup/project.mjs";
import {
  directoryStatements,
  FAILED_JOBS,
  MAX_COUNTED,
  MAX_LISTED,
  MAX_NAMES,
  membershipsOf,
  NAMES,
  organizationStatements,
  readJob,
  retryStatements,
  statusStatements,
  userStatements,
} from "./statements.mjs";
import { cellOf, durationOf, sizeOf, table, timeOf } from "./table.mjs";

const USAGE = `npm run admin -- status|jobs [--remote]
       npm run admin -- retry <job> [--remote]
       npm run admin -- organization <id or name> [--remote]
       npm run admin -- user <email> [--remote]`;
const WORDS = { status: 1, jobs: 1, retry: 2, organization: 2, user: 2 };
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Largest size of a D1 database, bytes. */
const MAX_BYTES = 10_000_000_000;
/** Organizations that a search shows. */
const MAX_FOUND = 20;

/** Reads the command. @throws Refusal with the correct usage. @returns {{ verb: string, subject: string, remote: boolean }} */
export function readOperateCommand(args) {
  const words = args.filter((arg) => !arg.startsWith("--"));
  const [verb, subject = ""] = words;
  const unknown = args.find((arg) => arg.startsWith("--") && arg !== "--remote");
  if (unknown !== undefined) throw new Refusal(`${unknown} is an unknown option of ${verb}. Usage: ${USAGE}`);
  if (words.length !== WORDS[verb]) throw new Refusal(`Usage: ${USAGE}`);
  const remote = args.includes("--remote");
  if (verb === "user") return { verb, subject: readEmail(subject, USAGE), remote };
  if (verb === "retry" && !ID.test(subject.toLowerCase())) throw new Refusal(`"${subject}" is not the id of a job.`);
  return { verb, subject: verb === "retry" ? subject.toLowerCase() : subject, remote };
}

/** The results of each statement in a database. */
const read = async (binding, target, sql) => (await execute(binding, target, sql)).map(({ results }) => results);

const sum = (rows) => rows.reduce((total, { count }) => total + count, 0);
const more = (isMore, text) => (isMore ? `\n… ${text}` : "");

/** By how many bytes a day a database grows. Null before the second measurement. */
function growthOf(sizes, name) {
  const own = sizes.filter(({ database }) => database === name);
  const [first, last] = [own[0], own.at(-1)];
  return own.length < 2 || last.day === first.day ? null : (last.bytes - first.bytes) / (last.day - first.day);
}

/** One row of the table of databases. @param {number} size bytes */
function databaseRow(one, size, sizes, isDirectory) {
  const growth = growthOf(sizes, one.name);
  const full = growth === null || growth <= 0 ? null : (MAX_BYTES - size) / growth;
  return [
    one.name,
    one.entry.database_name,
    [one.region ?? "no region", one.state ?? "", isDirectory ? "directory" : ""].filter(Boolean).join(", "),
    `${sizeOf(size)} (${Math.round((100 * size) / MAX_BYTES)} %)`,
    growth === null ? "not known" : `${sizeOf(Math.round(growth))} a day`,
    full === null ? "-" : `in ${Math.max(0, Math.floor(full))} days`,
  ];
}

/** The rows of the table of jobs, from the sets of all databases: the running ones, the failed ones, then those that wait. */
export function jobRows(places, now) {
  const all = places.flat(2);
  return [...new Set(all.map(({ kind }) => kind))].sort().map((kind) => {
    const of = (sets) => sets.flat().filter((row) => row.kind === kind);
    const waiting = of(places.flatMap((sets) => sets.slice(2)));
    const failed = of(places.map((sets) => sets[1]));
    const due = waiting.filter(({ dueAt }) => dueAt <= now).map(({ dueAt }) => now - dueAt);
    const codes = failed
      .toSorted((a, b) => b.count - a.count)
      .map(({ code, count }) => `${code ?? "unknown"}: ${count}`);
    const oldest = due.length === 0 ? null : due.reduce((longest, one) => Math.max(longest, one), 0);
    return [
      kind,
      sum(waiting),
      durationOf(oldest),
      sum(of(places.map((sets) => sets[0]))),
      sum(failed),
      codes.join(", "),
    ];
  });
}

/** `status`: databases, jobs by kind, objects that wait for their deletion, and the last backup. */
async function showStatus(target) {
  const now = Date.now();
  const { workspaces, directory } = databasesOf(target);
  const [sizes, [{ completedAt }]] = await read(directory.binding, target, directoryStatements(now));
  const databases = [];
  const places = [];
  const toPurge = { waiting: 0, first: null };
  for (const one of allDatabases({ workspaces, directory })) {
    const answers = await execute(one.binding, target, statusStatements(workspaces.includes(one)));
    const [[{ waiting, first }], ...sets] = answers.map(({ results }) => results);
    toPurge.waiting += waiting;
    if (first !== null) toPurge.first = Math.min(first, toPurge.first ?? first);
    places.push(sets);
    databases.push(databaseRow(one, answers[0].meta.size_after, sizes, one === directory));
  }
  const rows = jobRows(places, now);
  const isCut = places.flat().some((set) => sum(set) > MAX_COUNTED);
  console.log(`
${table(["DATABASE", "NAME", "STATE", "SIZE", "GROWTH", "FULL"], databases)}

${rows.length === 0 ? "No job waits, runs or has failed." : table(["JOBS", "WAITING", "OLDEST", "RUNNING", "FAILED", "CODES"], rows)}${more(isCut, `of a set of more than ${MAX_COUNTED} jobs only so many were read`)}

Objects that wait for their deletion: ${Math.min(toPurge.waiting, MAX_COUNTED)}${toPurge.waiting > MAX_COUNTED ? " or more" : ""}${
    toPurge.first !== null && toPurge.first <= now ? `, due for ${durationOf(now - toPurge.first)}` : ""
  }
Last complete backup of the service: ${completedAt === null ? "none is known" : `${timeOf(completedAt)}, ${durationOf(now - completedAt)} ago`}`);
}

/** `jobs`: the failed jobs of all databases, the newest failure first. */
async function listJobs(target) {
  const rows = [];
  for (const { binding } of allDatabases(databasesOf(target)))
    rows.push(...(await read(binding, target, FAILED_JOBS))[0]);
  if (rows.length === 0) return console.log("No job has failed.");
  rows.sort((a, b) => b.finishedAt - a.finishedAt || (a.id < b.id ? -1 : 1));
  const shown = rows
    .slice(0, MAX_LISTED)
    .map((row) => [row.id, row.kind, row.code, row.attempts, timeOf(row.finishedAt), row.workspace, row.detail]);
  const heads = ["FAILED JOB", "KIND", "CODE", "TRIES", "ENDED", "WORKSPACE", "DETAIL"];
  console.log(`\n${table(heads, shown)}${more(rows.length > MAX_LISTED, `and more. \`status\` counts them.`)}`);
}

/** `retry`: a new job takes the place of a failed one. */
async function retry(target, id) {
  for (const { binding, name } of allDatabases(databasesOf(target))) {
    const [[job]] = await read(binding, target, readJob(id));
    if (job === undefined) continue;
    if (job.status !== "failed") throw new Refusal(`The job ${id} (${job.kind}) has not failed: it is ${job.status}.`);
    const { newId, newIdIn, rerunOf } = await loadCarry();
    const rerun = rerunOf(job.kind, job.workspace, job.payload);
    if (rerun === null)
      throw new Refusal(
        `Jobs of the kind ${job.kind} cannot run again here: the people who need their results start them again.`,
      );
    const fresh = job.workspace === null ? newId() : newIdIn(job.workspace);
    const given = { id, newId: fresh, auditId: randomUUID(), ...rerun, now: Date.now() };
    const [made] = (await read(binding, target, retryStatements(given))).at(-1);
    if (made === undefined)
      throw new Refusal(
        `The job was left alone: somebody else has started it again, or its workspace is deleted or is being moved. Look at \`jobs\`.`,
      );
    return console.log(
      `The job ${fresh} (${job.kind}, database ${name}) takes the place of ${id}. The service sends it within a minute.`,
    );
  }
  throw new Refusal(`No database has a job with the id ${id}. Failed jobs are kept for 30 days.`);
}

/** A name without case and accents. */
const folded = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** The organizations whose id or name fits. @returns {Promise<{ one: object, id: string, name: string }[]>} */
async function findOrganizations(target, subject) {
  const found = [];
  let isCut = false;
  for (const one of databasesOf(target).workspaces) {
    const id = subject.toLowerCase();
    const [rows] = ID.test(id)
      ? await read(one.binding, target, `SELECT id, name FROM organizations WHERE id = '${id}'`)
      : await read(one.binding, target, NAMES);
    isCut ||= rows.length > MAX_NAMES;
    const matching = ID.test(id) ? rows : rows.filter(({ name }) => folded(name).includes(folded(subject)));
    found.push(...matching.map((row) => ({ one, ...row })));
  }
  if (isCut) console.log(`Only the first ${MAX_NAMES} names of a database were read. Use the id of an organization.`);
  return found;
}

/** `organization`: one organization with its owners, use and jobs; or the ones whose names fit. */
async function showOrganization(target, subject) {
  const found = await findOrganizations(target, subject);
  if (found.length === 0) throw new Refusal(`No organization has the id or a name like "${cellOf(subject)}".`);
  const exact = found.filter(({ name }) => name === subject);
  // A workspace that has moved can be in two databases for a while.
  const ids = new Set((exact.length > 0 ? exact : found).map(({ id }) => id));
  if (ids.size > 1) {
    const shown = found.slice(0, MAX_FOUND).map(({ id, name, one }) => [id, name, one.name]);
    const rest = more(found.length > MAX_FOUND, `and ${found.length - MAX_FOUND} more`);
    return console.log(`\n${table(["ORGANIZATION", "NAME", "DATABASE"], shown)}${rest}`);
  }
  const [id] = ids;
  for (const { one } of found.filter((row) => row.id === id)) {
    const [[facts], owners, [{ waiting }], failed] = await read(one.binding, target, organizationStatements(id));
    const state =
      facts.deletedAt === null
        ? (facts.state ?? "no residence")
        : `deleted ${timeOf(facts.deletedAt)}, to be removed ${timeOf(facts.purgeAt)}`;
    const rows = [
      ["id", facts.id],
      ["name", facts.name],
      ["database", `${one.name} (${one.entry.database_name})`],
      ["state", state],
      ["created", timeOf(facts.createdAt)],
      ["owners", owners.length === 0 ? "none" : owners.map(({ email }) => email).join(", ")],
      ["members", String(facts.members)],
      ["locations", String(facts.locations)],
      ["cameras", `${facts.cameras}${facts.mayHaveCameras === 1 ? "" : " (switched off)"}`],
      ["storage", `${sizeOf(facts.usedBytes ?? 0)} of ${sizeOf(facts.storageBytes)}`],
      ["waiting or running jobs", String(waiting)],
      ["failed jobs", failed.length > MAX_LISTED ? `more than ${MAX_LISTED}` : String(failed.length)],
    ];
    const jobs = failed.slice(0, MAX_LISTED).map((job) => [job.id, job.kind, job.code, timeOf(job.finishedAt)]);
    console.log(`\n${table(["ORGANIZATION", ""], rows)}`);
    if (jobs.length > 0) console.log(`\n${table(["FAILED JOB", "KIND", "CODE", "ENDED"], jobs)}`);
  }
}

/** `user`: an account with its credentials and memberships. */
async function showUser(target, email) {
  const { workspaces, directory } = databasesOf(target);
  const [[user], [sessions], [tokens]] = await read(directory.binding, target, userStatements(email, Date.now()));
  if (user === undefined) throw new Refusal(`There is no account with ${email}.`);
  const used = ({ count, lastUsedAt }) => (count === 0 ? "none" : `${count}, last used ${timeOf(lastUsedAt)}`);
  const rows = [
    ["id", user.id],
    ["e-mail", user.email],
    ["verified", user.verifiedAt === null ? "no" : timeOf(user.verifiedAt)],
    ["name", user.name],
    ["signs in with", user.issuer ?? "a password"],
    ["platform administrator", user.isAdmin === 1 ? "yes" : "no"],
    ["language", user.language ?? "not chosen"],
    ["created", timeOf(user.createdAt)],
    ["sessions", used(sessions)],
    ["personal access tokens", used(tokens)],
  ];
  const memberships = [];
  for (const one of workspaces)
    for (const row of (await read(one.binding, target, membershipsOf(user.id)))[0])
      memberships.push([row.id, row.name, row.role, timeOf(row.createdAt), one.name]);
  console.log(`\n${table(["ACCOUNT", ""], rows)}\n`);
  const heads = ["ORGANIZATION", "NAME", "ROLE", "SINCE", "DATABASE"];
  const rest = more(memberships.length > MAX_LISTED, "and more");
  console.log(
    memberships.length === 0
      ? "The person is in no organization."
      : `${table(heads, memberships.slice(0, MAX_LISTED))}${rest}`,
  );
}

const ACTIONS = { status: showStatus, jobs: listJobs, retry, organization: showOrganization, user: showUser };

/** Runs a command that shows or repairs the work of the service. */
export async function runOperate(args) {
  const { verb, subject, remote } = readOperateCommand(args);
  const target = { stateDir: readOptions().stateDir, remote };
  if (!remote) keepPrivate(target.stateDir);
  console.log(`Reaching ${describeTarget(target)} …`);
  await ACTIONS[verb](target, subject);
}
