import { createHash, randomBytes, randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import { execute, quoted } from "./databases/execute.mjs";
import { described, LIST, readOrganizationId, restoreStatements } from "./service/deleted-organizations.mjs";
import { describeTarget, readDeployment } from "./service/deployment.mjs";
import { readEmail } from "./service/email.mjs";
import { databasesOf } from "./service/migrate.mjs";
import { readOptions } from "./service/options.mjs";
import { keepPrivate } from "./service/private.mjs";
import { main, Refusal } from "./setup/project.mjs";

const USAGE = `npm run admin -- status|jobs|retry <job>|organization <id or name>|user <email> [--remote]
       npm run admin -- grant|revoke|reset-password <email> [--end-tokens] [--remote]
       npm run admin -- remove-second-factor|end-tokens <email> [--remote]
       npm run admin -- deleted-organizations [--remote]
       npm run admin -- restore-organization <id> [--remote]
       npm run admin -- databases [--remote]
       npm run admin -- move <organization> <database> [--yes] [--undo] [--remote]`;
const VERBS = [
  "grant",
  "revoke",
  "reset-password",
  "remove-second-factor",
  "end-tokens",
  "deleted-organizations",
  "restore-organization",
];
/** Lifetime of a link that resets a password, the same as in `src/access/accounts/resets.ts`. */
const RESET_LIFETIME_MS = 3_600_000;

/**
 * Reads the command of the operator. @throws Refusal with the correct usage.
 * @returns {{ verb: string, email: string, organizationId: string, endsTokens: boolean, remote: boolean }}
 */
export function readCommand(args) {
  const words = args.filter((arg) => !arg.startsWith("--"));
  const [verb, email = ""] = words;
  const isList = verb === "deleted-organizations";
  if (words.length !== (isList ? 1 : 2) || !VERBS.includes(verb)) throw new Refusal(`Usage: ${USAGE}`);
  const options = verb === "reset-password" ? ["--remote", "--end-tokens"] : ["--remote"];
  const unknown = args.find((arg) => arg.startsWith("--") && !options.includes(arg));
  if (unknown !== undefined) throw new Refusal(`${unknown} is an unknown option of ${verb}. Usage: ${USAGE}`);
  const remote = args.includes("--remote");
  const none = { email: "", organizationId: "", endsTokens: false };
  if (isList) return { ...none, verb, remote };
  if (verb === "restore-organization") return { ...none, verb, organizationId: readOrganizationId(email), remote };
  return { ...none, verb, email: readEmail(email, USAGE), endsTokens: args.includes("--end-tokens"), remote };
}

/** Statements that change the right, add an audit row if it changes, and read the account. */
export function adminStatements({ verb, email }, { id, now }) {
  const [held, wanted, action] = verb === "grant" ? [0, 1, "admin.granted"] : [1, 0, "admin.revoked"];
  const account = `FROM users WHERE email = ${quoted(email)}`;
  return [
    `INSERT INTO audit_entries (id, actor_kind, action, subject_type, subject_id, details, request_id, created_at)
     SELECT ${quoted(id)}, 'system', ${quoted(action)}, 'user', id, '{"reason":"operator"}', ${quoted(id)}, ${now}
     ${account} AND is_admin = ${held}`,
    `UPDATE users SET is_admin = ${wanted} WHERE email = ${quoted(email)}`,
    `SELECT email_verified_at AS verifiedAt ${account}`,
  ];
}

/**
 * Statements that add a link and its audit row for an account with a password, and read the account. With `endsTokens`, its
 * personal access tokens end now: whoever knew the password may have made some.
 */
export function resetStatements({ email, endsTokens }, { id, now, secretHash }) {
  const account = `FROM users WHERE email = ${quoted(email)}`;
  const own = `${account} AND external_issuer IS NULL`;
  const details = JSON.stringify({ reason: "operator", ...(endsTokens && { tokens: "ended" }) });
  const endTokens = `UPDATE access_tokens SET revoked_at = ${now} WHERE revoked_at IS NULL AND user_id IN (SELECT id ${own})`;
  return [
    ...(endsTokens ? [endTokens] : []),
    `INSERT INTO password_resets (secret_hash, user_id, is_mailed, created_at, expires_at)
     SELECT ${quoted(secretHash)}, id, 0, ${now}, ${now + RESET_LIFETIME_MS} ${own}`,
    `INSERT INTO audit_entries (id, actor_kind, action, subject_type, subject_id, details, request_id, created_at)
     SELECT ${quoted(id)}, 'system', 'password-reset.created', 'user', id, ${quoted(details)}, ${quoted(id)}, ${now} ${own}`,
    `SELECT external_issuer AS issuer ${account}`,
  ];
}

/** Statements that end the personal access tokens of an account, add an audit row if there were some, and read the account. */
export function endTokensStatements({ email }, { id, now }) {
  const account = `FROM users WHERE email = ${quoted(email)}`;
  const live = `revoked_at IS NULL AND user_id IN (SELECT id ${account})`;
  return [
    `INSERT INTO audit_entries (id, actor_kind, action, subject_type, subject_id, details, request_id, created_at)
     SELECT ${quoted(id)}, 'system', 'token.revoked', 'user', id, '{"reason":"operator"}', ${quoted(id)}, ${now}
     ${account} AND EXISTS (SELECT 1 FROM access_tokens WHERE ${live})`,
    `UPDATE access_tokens SET revoked_at = ${now} WHERE ${live}`,
    `SELECT id ${account}`,
  ];
}

/**
 * Statements that remove the second factor of an account with its recovery codes and the sign-ins that wait for it, queue the mail
 * about it, add an audit row if it was on, and read the account. The sweeper sends the job.
 */
export function secondFactorStatements({ email }, { id, now }) {
  const account = `FROM users WHERE email = ${quoted(email)}`;
  const withOne = `${account} AND second_factor_at IS NOT NULL`;
  const own = `user_id IN (SELECT id ${account})`;
  return [
    `INSERT INTO audit_entries (id, actor_kind, action, subject_type, subject_id, details, request_id, created_at)
     SELECT ${quoted(id)}, 'system', 'second-factor.switched-off', 'user', id, '{"reason":"operator"}', ${quoted(id)}, ${now}
     ${withOne}`,
    `INSERT INTO jobs (id, kind, lane, payload, status, run_at, request_id, created_at)
     SELECT ${quoted(id)}, 'mail-second-factor', 'light', json_object('userId', id, 'about', 'off'), 'queued', ${now}, ${quoted(id)}, ${now}
     ${withOne}`,
    `DELETE FROM recovery_codes WHERE ${own}`,
    `DELETE FROM passkey_challenges WHERE ${own}`,
    `UPDATE users SET second_factor_at = NULL WHERE email = ${quoted(email)}`,
    `SELECT EXISTS (SELECT 1 FROM audit_entries WHERE id = ${quoted(id)}) AS wasOn ${account}`,
  ];
}

/** The address of the service: the default of the local one, or PUBLIC_BASE_URL of the deployment. */
function baseUrl({ remote }, port) {
  if (!remote) return `http://127.0.0.1:${port}`;
  const { publicBaseUrl } = readDeployment();
  if (publicBaseUrl === null)
    throw new Refusal("Set PUBLIC_BASE_URL in deployment.toml first: the link begins with it.");
  return publicBaseUrl;
}

/** Runs the statements of the command. @returns the rows of the last one */
async function rowsAfter(binding, { remote }, stateDir, sql) {
  return (await execute(binding, { stateDir, remote }, sql)).at(-1).results;
}

/** The same for statements whose last one reads the account. */
async function accountAfter(command, stateDir, sql) {
  const { email } = command;
  const { directory } = databasesOf({ ...command, stateDir });
  const [account] = await rowsAfter(directory.binding, command, stateDir, sql);
  if (account === undefined) throw new Refusal(`There is no account with ${email}. Its owner must register first.`);
  return account;
}

async function resetPassword(command, { stateDir, port }, change) {
  const base = baseUrl(command, port);
  const token = randomBytes(32).toString("hex");
  const secretHash = createHash("sha256").update(token).digest("hex");
  const { issuer } = await accountAfter(command, stateDir, resetStatements(command, { ...change, secretHash }));
  if (issuer !== null) throw new Refusal(`${command.email} signs in through ${issuer} and has no password here.`);
  console.log(`The person who opens this link within an hour sets a new password for ${command.email}, once:

  ${base}/password-reset#${token}

Give it to the owner of the account alone. Using it ends every session of the account.
${
  command.endsTokens
    ? "Its personal access tokens have ended."
    : "Its personal access tokens stay. If somebody else may know the password, end them too: add --end-tokens."
}`);
}

async function removeSecondFactor(command, { stateDir }, change) {
  const { wasOn } = await accountAfter(command, stateDir, secondFactorStatements(command, change));
  if (!wasOn) return console.log(`The sign-in of ${command.email} asks for nothing after the password.`);
  console.log(`The sign-in of ${command.email} no longer asks for a passkey after the password, and the recovery codes have ended.
The passkeys stay. If a device is lost, its owner removes it in the console, under Settings and Passkeys.`);
}

async function endTokens(command, { stateDir }, change) {
  await accountAfter(command, stateDir, endTokensStatements(command, change));
  console.log(`The personal access tokens of ${command.email} have ended.`);
}

async function changeRight(command, { stateDir }, change) {
  const isGrant = command.verb === "grant";
  const { verifiedAt } = await accountAfter(command, stateDir, adminStatements(command, change));
  console.log(`${command.email} is ${isGrant ? "now" : "no longer"} a platform administrator.`);
  if (isGrant && verifiedAt === null)
    console.log("This address was never verified. Make sure that the account belongs to the right person.");
}

async function listDeleted(command, { stateDir }) {
  const rows = [];
  for (const { binding } of databasesOf({ ...command, stateDir }).workspaces)
    rows.push(...(await rowsAfter(binding, command, stateDir, LIST)));
  console.log(rows.length === 0 ? "There are no deleted organizations." : rows.map(described).join("\n"));
}

async function restoreOrganization(command, { stateDir }, change) {
  let found;
  for (const { binding } of databasesOf({ ...command, stateDir }).workspaces) {
    const rows = await rowsAfter(binding, command, stateDir, restoreStatements(command.organizationId, change));
    found ??= rows[0];
  }
  if (found === undefined) throw new Refusal("There is no such organization, or everything in it was removed.");
  if (found.startedAt !== null) throw new Refusal(`The removal of ${found.name} has begun. Nothing restores it.`);
  if (found.deletedAt !== null) throw new Refusal(`${found.name} has no owner any more, so it cannot be restored.`);
  console.log(`${found.name} is not deleted (any more).`);
}

const ACTIONS = {
  "reset-password": resetPassword,
  "remove-second-factor": removeSecondFactor,
  "end-tokens": endTokens,
  "deleted-organizations": listDeleted,
  "restore-organization": restoreOrganization,
};

/** The verbs that show and repair the work of the service. */
const OF_OPERATION = ["status", "jobs", "retry", "organization", "user"];
/** The verbs that are about databases. */
const OF_DATABASES = ["databases", "move"];

async function run() {
  const [verb] = process.argv.slice(2);
  if (OF_DATABASES.includes(verb)) {
    const { runDatabases } = await import("./databases/command.mjs");
    return runDatabases(process.argv.slice(2));
  }
  if (OF_OPERATION.includes(verb)) {
    const { runOperate } = await import("./operate/command.mjs");
    return runOperate(process.argv.slice(2));
  }
  const command = readCommand(process.argv.slice(2));
  const change = { id: randomUUID(), now: Date.now() };
  const options = readOptions();
  if (!command.remote) keepPrivate(options.stateDir);
  console.log(`Reaching ${describeTarget({ remote: command.remote, stateDir: options.stateDir })} …`);
  await (ACTIONS[command.verb] ?? changeRight)(command, options, change);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(run);
