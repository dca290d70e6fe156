import type { Context } from "../../context";
import { beginChange } from "../../platform/db/change";
import { limitResets, mayMailReset } from "../accounts/limits";

/**
 * Asks for a link that resets a password. Known and unknown addresses take the same statements and the same answer:
 * a job finds out later whether there is anybody to write to. Where no mail is bound nothing is sent to anybody.
 * @throws DomainError rate-limited.
 */
export async function requestPasswordReset(context: Context, email: string): Promise<void> {
  await limitResets(context);
  if (context.mailer === null || !(await mayMailReset(context, email))) return;
  const change = beginChange(context);
  change.job("mail-password-reset", { email });
  await change.commit();
}
