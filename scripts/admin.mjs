import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import { wrangler } from "./service/migrate.mjs";
import { readOptions } from "./service/options.mjs";
import { main, Refusal } from "./setup/project.mjs";

const USAGE = "npm run admin -- grant|revoke <email> [--remote]";

/** A text as SQL writes it. D1's command line binds no parameters. */
const quoted = (text) => `'${text.replaceAll("'", "''")}'`;

/**
 * What the operator asks for. @throws Refusal with what to write instead.
 * @returns {{ grant: boolean, email: string, remote: boolean }}
 */
export function readCommand(args) {
  const words = args.filter((arg) => !arg.startsWith("--"));
  const [verb, email = ""] = words;
  if (words.length !== 2 || !["grant", "revoke"].includes(verb)) throw new Refusal(`Usage: ${USAGE}`);
  const unknown = args.find((arg) => arg.startsWith("--") && arg !== "--remote");
  if (unknown !== undefined) throw new Refusal(`${unknown} is not known here. Usage: ${USAGE}`);
  const address = email.trim().toLowerCase();
  if (address.length > 254 || !/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u.test(address))
    throw new Refusal(`"${email}" is no e-mail address. Usage: ${USAGE}`);
  return { grant: verb === "grant", email: address, remote: args.includes("--remote") };
}

/** The right and its audit row, which is written only where the right changes, then what the account is now. */
export function adminStatements({ grant, email }, { id, now }) {
  const [held, wanted, action] = grant ? [0, 1, "admin.granted"] : [1, 0, "admin.revoked"];
  const account = `FROM users WHERE email = ${quoted(email)}`;
  return [
    `INSERT INTO audit_entries (id, actor_kind, action, subject_type, subject_id, details, request_id, created_at)
     SELECT ${quoted(id)}, 'system', ${quoted(action)}, 'user', id, '{"reason":"operator"}', ${quoted(id)}, ${now}
     ${account} AND is_admin = ${held}`,
    `UPDATE users SET is_admin = ${wanted} WHERE email = ${quoted(email)}`,
    `SELECT email_verified_at AS verifiedAt ${account}`,
  ].join(";\n");
}

/** Tries of a statement that finds the local database locked; each takes wrangler a second or more. */
const MOST_TRIES = 5;

/** Runs SQL. A local service that writes at that very moment has the database locked: then nothing was done, and it is tried again. */
async function execute(where, sql) {
  for (let tries = 1; ; tries++) {
    try {
      return await wrangler("d1", "execute", "document-workspace", ...where, "--json", "--yes", "--command", sql);
    } catch (thrown) {
      if (tries === MOST_TRIES || !thrown.message.includes("SQLITE_BUSY")) throw thrown;
      console.log("The service is writing to the database; trying again …");
    }
  }
}

/** Runs the command; wrangler answers with one result a statement. */
async function run() {
  const command = readCommand(process.argv.slice(2));
  const { stateDir } = readOptions();
  const sql = adminStatements(command, { id: randomUUID(), now: Date.now() });
  const where = command.remote ? ["--remote"] : ["--local", "--persist-to", stateDir];
  const printed = await execute(where, sql);
  const [account] = JSON.parse(printed).at(-1).results;
  if (account === undefined)
    throw new Refusal(`There is no account with ${command.email}. Its owner has to register first.`);
  console.log(`${command.email} is ${command.grant ? "now" : "no longer"} a platform administrator.`);
  if (command.grant && account.verifiedAt === null)
    console.log("This address was never verified: make sure that the account belongs to the person you mean.");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(run);
