import { env } from "cloudflare:workers";
import { loadFacts } from "../../src/access/permission/load";
import { openContext } from "../../src/compose";
import type { Context } from "../../src/platform/context";
import { metered } from "../support/metered-database";

/** The number of rows that the database reads for a verb of this user, after the authentication. */
export async function rowsReadBy(userId: string, verb: (context: Context) => Promise<unknown>): Promise<number> {
  const { workspace: db } = openContext(env, () => {}).context;
  const facts = await loadFacts(db, userId, { organizationIds: null, ceiling: null }, Date.now());
  const meter = metered(env.DB);
  const caller = { kind: "pat" as const, tokenId: "test", userId, isAdmin: false, expiresAt: null, facts };
  const { context } = openContext({ ...env, DB: meter.database }, () => {}, { caller });
  await verb(context);
  return meter.take();
}
