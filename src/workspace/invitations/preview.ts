import { eq } from "drizzle-orm";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { networkOf } from "../../platform/http/network";
import { InstanceLimiter } from "../../platform/http/rate";
import { MINUTE } from "../../platform/time";
import { findOpenInvitation } from "./redeem";

/** For floods alone: nobody guesses a token. */
const previews = new InstanceLimiter({ limit: 120, windowMs: MINUTE });

/** What an invitation is to, for whoever holds its link. @throws DomainError invitation-ended, rate-limited. */
export async function previewInvitation(context: Context, token: string) {
  previews.take(networkOf(context.origin?.ip ?? "unknown"), context.now);
  const { row } = await findOpenInvitation(context, token);
  const [organization] = await context.db
    .select({ name: organizations.name })
    .from(organizations)
    .where(eq(organizations.id, row.organizationId));
  return { email: row.email, organizationName: organization?.name ?? "", role: row.role };
}
