import { and, eq, isNull } from "drizzle-orm";
import type { Context } from "../../platform/context";
import type { Statement } from "../../platform/db/database";
import { invitations } from "../tables";

/** Deletes the open invitations that a person has made: who may no longer give a role has not given it. */
export const withdrawInvitationsOf = ({ db }: Context, organizationId: string, userId: string): Statement =>
  db
    .delete(invitations)
    .where(
      and(
        eq(invitations.organizationId, organizationId),
        eq(invitations.invitedBy, userId),
        isNull(invitations.usedAt),
      ),
    );
