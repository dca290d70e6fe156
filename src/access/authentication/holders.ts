import type { AccessFacts, TokenLimits } from "../../platform/caller";
import type { Context } from "../../platform/context";
import type { Composed } from "../../platform/db/database";
import { runBatch } from "../../platform/db/database";
import { factsOfUser, loadFactsOf } from "../permission";

/** Credentials whose users an isolate remembers, about 100 bytes each. */
const MAX_HOLDERS = 10_000;

/** The users of credentials that do not name them. It only says whose facts to read early: the directory's row decides. */
const holders = new Map<string, string>();

/**
 * Reads a credential that does not name its user, and the facts about the user: in one round trip if this isolate has seen the
 * credential before, in two otherwise. `key` is unique for the credential. @param read a statement of the directory
 */
export async function readHolder(
  databases: Pick<Context, "directory" | "databases">,
  key: string,
  read: Composed,
  now: number,
): Promise<{ found: D1Result | undefined; factsOf: (userId: string, limits: TokenLimits) => Promise<AccessFacts> }> {
  const known = holders.get(key);
  const beside = known === undefined ? null : await factsOfUser(databases, [read], known, now);
  const [found] = beside?.found ?? (await runBatch(databases.directory, [read]));
  return {
    found,
    factsOf: async (userId, limits) => {
      if (beside !== null && userId === known) return beside.facts(limits);
      if (holders.size >= MAX_HOLDERS) holders.clear();
      holders.set(key, userId);
      return loadFactsOf(databases, userId, limits, now);
    },
  };
}
