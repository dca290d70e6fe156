import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";

/** An invitation that may be used now. */
export interface OpenInvitation {
  /** The address it was made for. */
  email: string;
  /** Whether this secret went to the address alone, so that bringing it proves the address. */
  provesAddress: boolean;
  /**
   * Adds to `change` what the invitation gives the new user (its membership, the audit row), with a
   * guard that it is redeemed once. The user's row stands earlier in the same change.
   */
  redeem(change: Change, userId: string): void;
}

/** How registration finds an invitation, which belongs to the workspace: handed to the routes where the app is put together. */
export interface InvitationRedeemer {
  /** @throws DomainError invitation-ended for an unknown, used or expired one. */
  find(context: Context, token: string): Promise<OpenInvitation>;
}
