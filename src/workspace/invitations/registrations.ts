import { and, eq, isNull } from "drizzle-orm";
import { afterPointer, decideRegistration, type InvitationRedeemer } from "../../access";
import type { Context } from "../../platform/context";
import { beginChange, type Change } from "../../platform/db/change";
import { newIdIn } from "../../platform/ids";
import { complete, type JobHandler } from "../../platform/jobs/handlers";
import { describeFailure, log } from "../../platform/log";
import { invitations } from "../tables";
import {
  findOpenInvitation,
  type InvitationRow,
  inPlaceOf,
  invitationEnded,
  isFree,
  isHeldBy,
  RESERVATION_MS,
} from "./invitations";
import { type Kinds, redeemInvitation, redemption } from "./redemption";

/**
 * The port through which registration uses an invitation. The account is in the directory and the invitation in the
 * workspace: the registration reserves it, makes the account, and redeems it. The job `settle-invitation` finishes or
 * releases what a stopped or slow worker left. The directory decides which: an ended registration makes no account.
 */
export const invitationRedeemer = (kinds: Kinds): InvitationRedeemer => ({
  async find(given, token) {
    const context = await inPlaceOf(given, token);
    const { row, provesAddress } = await findOpenInvitation(context, token);
    // A repeat must not make the account again.
    const own = context.idempotency?.kind === "first" ? { ...context, idempotency: null } : context;
    return {
      email: row.email,
      provesAddress,
      async reserve(userId) {
        const registrationId = newIdIn(row.organizationId);
        const settle = { invitationId: row.id, registrationId, userId, mustBeVerified: provesAddress };
        const change = beginChange(own, row.organizationId)
          .add(
            context.workspace
              .update(invitations)
              .set({ registrationId })
              .where(and(eq(invitations.id, row.id), isFree(context.now))),
          )
          .guardChanged(invitationEnded());
        change.job("settle-invitation", settle, { tenantId: row.organizationId, delayMs: RESERVATION_MS });
        await change.commit();
        return registrationId;
      },
      async redeem(registrationId, person) {
        try {
          await redeemInvitation(own, kinds, row, person, isHeldBy(registrationId));
        } catch (thrown) {
          // It was withdrawn in between, or the job redeems it later.
          log("warn", "invitation.not-redeemed", { id: row.id, ...describeFailure(thrown) });
        }
      },
      async release(registrationId) {
        await releaseInvitation(own, row, registrationId).commit();
      },
    };
  },
});

/** Makes an invitation usable again whose registration made no account. */
const releaseInvitation = (
  context: Context,
  { id, organizationId }: Pick<InvitationRow, "id" | "organizationId">,
  registrationId: string,
): Change =>
  beginChange(context, organizationId).add(
    context.workspace
      .update(invitations)
      .set({ registrationId: null })
      .where(and(eq(invitations.id, id), isNull(invitations.usedAt), isHeldBy(registrationId))),
  );

/** Ends a reservation: the account decides. An account that the mailed link makes has a verified address. */
export const settleInvitation = (kinds: Kinds): JobHandler<"settle-invitation"> => ({
  async run(context, { payload: { invitationId, registrationId, userId, mustBeVerified } }) {
    const [row] = await context.workspace
      .select()
      .from(invitations)
      .where(and(eq(invitations.id, invitationId), isNull(invitations.usedAt), isHeldBy(registrationId)));
    if (row === undefined) return complete();
    const person = await decideRegistration(context, { id: registrationId, userId, mustBeVerified });
    if (person === null) return complete(releaseInvitation(context, row, registrationId));
    if (row.targetId !== null) {
      // The account has proven the address, so it gets this share like every other that waits: now, or it goes on waiting.
      const change = releaseInvitation(context, row, registrationId);
      change.job("give-waiting-shares", { userId: person.id });
      return complete(change);
    }
    const change = await redemption(context, kinds, row, person, isHeldBy(registrationId));
    return complete(await afterPointer(context, change, person.id, row.organizationId));
  },
});
