import { env } from "cloudflare:workers";
import type { UserCaller } from "../../src/access";
import { loadFacts } from "../../src/access/permission/load";
import { openContext } from "../../src/compose";
import type { Context } from "../../src/platform/context";
import { metered } from "../support/metered-database";

/** A user with all of their current rights. */
export async function callerFor(userId: string): Promise<UserCaller> {
  const { workspace: db } = openContext(env, () => {}).context;
  const facts = await loadFacts(db, userId, { organizationIds: null, ceiling: null, isProven: true }, Date.now());
  return { kind: "pat", tokenId: "test", userId, isAdmin: false, expiresAt: null, language: null, facts };
}

/** The number of rows that the database reads for a verb of this user, after the authentication. */
export async function rowsReadBy(userId: string, verb: (context: Context) => Promise<unknown>): Promise<number> {
  const caller = await callerFor(userId);
  const meter = metered(env.DB);
  const { context } = openContext({ ...env, DB: meter.database }, () => {}, { caller });
  await verb(context);
  return meter.take();
}
