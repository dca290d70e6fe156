import { eq } from "drizzle-orm";
import type { TokenLimits, UserCaller } from "../../platform/caller";
import type { Role } from "../../platform/capabilities";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/sets";
import { holds, requireUser } from "../require";
import { organizations, users } from "../tables";
import type { UserRow } from "./user";

export interface Profile {
  user: UserRow;
  caller: UserCaller;
  memberships: { organizationId: string; organizationName: string; role: Role }[];
  /** What a personal access token cuts away; null with any other credential. */
  limits: TokenLimits | null;
}

/** Who the caller is, through which credential, and in which organizations. @throws DomainError 401. */
export async function readProfile(context: Context): Promise<Profile> {
  const caller = requireUser(context);
  const { db } = context;
  const visible = caller.facts.memberships.filter(({ organizationId }) =>
    holds(caller, "OrganizationView", { tenantId: organizationId, organizationId }),
  );
  const [[user], named] = await db.batch([
    db.select().from(users).where(eq(users.id, caller.userId)),
    db
      .select({ id: organizations.id, name: organizations.name })
      .from(organizations)
      .where(
        inSet(
          organizations.id,
          visible.map((m) => m.organizationId),
        ),
      ),
  ]);
  if (user === undefined) throw new Error("a caller has no user");
  const names = new Map(named.map(({ id, name }) => [id, name]));
  const memberships = visible.map(({ organizationId, role }) => ({
    organizationId,
    organizationName: names.get(organizationId) ?? "",
    role,
  }));
  return { user, caller, memberships, limits: caller.kind === "pat" ? caller.facts.limits : null };
}
