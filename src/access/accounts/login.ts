import { and, eq, exists, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { openSession, type SessionTokens } from "../sessions/open-session";
import { users } from "../tables";
import { forgetFailures, limitSignIn } from "./limits";
import { verifyPassword } from "./password";
import type { UserRow } from "./user";

const wrong = () => new DomainError("invalid-credentials", "The e-mail address or the password is not right.");

/**
 * Signs a person in with a password. An unknown address, an account without a password and a wrong
 * password take the same statements and the same hash, and answer alike.
 * @throws DomainError invalid-credentials, rate-limited.
 */
export async function login(
  context: Context,
  { email, password }: { email: string; password: string },
): Promise<{ user: UserRow; tokens: SessionTokens }> {
  const { db } = context;
  const [user] = await db.select().from(users).where(eq(users.email, email));
  await limitSignIn(context, email, user?.id ?? null);
  const right = await verifyPassword(password, user?.passwordHash ?? null);
  if (user === undefined || !right) throw wrong();

  const change = beginChange(context);
  const { tokens } = await openSession(context, change, user.id);
  // A password that was changed while it was being checked opens nothing any more.
  const unchanged = db
    .select({ one: sql`1` })
    .from(users)
    .where(and(eq(users.id, user.id), eq(users.passwordHash, user.passwordHash ?? "")));
  change.guard(exists(unchanged), wrong());
  await forgetFailures(context, change, email);
  await change.commit();
  return { user, tokens };
}
