import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parse } from "smol-toml";
import { wrangler } from "../service/migrate.mjs";
import { Refusal } from "../setup/project.mjs";
import { patiently, retryAfterOf, Unanswered } from "./patience.mjs";

/** The sign-in of `wrangler login`, which wrangler has renewed just before. */
function tokenOfLogin() {
  const folder = process.env.XDG_CONFIG_HOME ?? join(homedir(), ".config");
  for (const path of [join(folder, ".wrangler/config/default.toml"), join(homedir(), ".wrangler/config/default.toml")])
    try {
      const { oauth_token: token } = parse(readFileSync(path, "utf8"));
      if (typeof token === "string") return token;
    } catch (thrown) {
      if (thrown.code !== "ENOENT") throw thrown;
    }
  throw new Refusal("Sign in with `npx wrangler login`, or set CLOUDFLARE_API_TOKEN.");
}

/** The account of the sign-in. @throws Refusal if there are several */
async function accountOf(base, token) {
  if (process.env.CLOUDFLARE_ACCOUNT_ID) return process.env.CLOUDFLARE_ACCOUNT_ID;
  const response = await fetch(`${base}/accounts`, { headers: { authorization: `Bearer ${token}` } });
  const { result } = await response.json();
  if (result?.length !== 1)
    throw new Refusal("Set CLOUDFLARE_ACCOUNT_ID: your sign-in reaches no account or several accounts.");
  return result[0].id;
}

/**
 * The batches of a database over Cloudflare's HTTP API. Every batch can run twice: it reads, or writes the same rows.
 * @param {string} address
 * @param {string} token
 * @param {(ms: number) => Promise<unknown>} [wait]
 */
export function overHttp(address, token, wait) {
  const ask = async (asked) => {
    const response = await fetch(address, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      // The API takes texts alone. SQLite converts them to the type of the column.
      body: JSON.stringify({ batch: asked.map(({ sql, params }) => ({ sql, params: params.map(String) })) }),
    });
    if (response.status === 429 || response.status >= 500)
      throw new Unanswered(`${response.status}`, retryAfterOf(response.headers.get("retry-after")));
    const { success, result, errors } = await response.json();
    if (!success) throw new Refusal(`D1 refused a statement: ${errors?.map(({ message }) => message).join("; ")}`);
    return result;
  };
  return {
    batch: async (asked) => {
      const result = await patiently(
        "D1",
        () => ask(asked),
        () => true,
        wait,
      );
      return result.map(({ results: { columns, rows } }) =>
        rows.map((row) => Object.fromEntries(columns.map((column, n) => [column, row[n]]))),
      );
    },
    readAtOneMoment: null,
    close: () => {},
  };
}

/** A database of the account by its entry in wrangler.toml. */
export async function openRemote({ database_id: id, database_name: name }, binding) {
  const base = process.env.CLOUDFLARE_API_BASE_URL ?? "https://api.cloudflare.com/client/v4";
  // wrangler renews the sign-in, and says what is wrong with it.
  await wrangler("d1", "execute", binding, "--remote", "--json", "--yes", "--command", "SELECT 1");
  const token = process.env.CLOUDFLARE_API_TOKEN ?? tokenOfLogin();
  const databases = `${base}/accounts/${await accountOf(base, token)}/d1/database`;
  if (id !== undefined) return overHttp(`${databases}/${id}/raw`, token);
  const found = await fetch(`${databases}/${encodeURIComponent(name)}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { result } = await found.json();
  if (typeof result?.uuid !== "string") throw new Refusal(`The account has no database ${name}.`);
  return overHttp(`${databases}/${result.uuid}/raw`, token);
}
