import { and, eq, isNotNull } from "drizzle-orm";
import { complete, type JobHandler } from "../../platform/jobs/handlers";
import { DEFAULT_LANGUAGE } from "../../platform/languages/languages";
import { settingsPath } from "../../platform/paths";
import { MESSAGES } from "../messages";
import { users } from "../tables";

/**
 * Mails a person what happened to the passkeys and the second factor of the account, so that they notice what somebody else did. An address that
 * nobody has proven gets no mail.
 */
export const mailSecondFactor: JobHandler<"mail-second-factor"> = {
  async run({ directory, mailer, settings }, { payload: { userId, about } }) {
    if (mailer === null) return complete();
    const [user] = await directory
      .select({ email: users.email, language: users.language })
      .from(users)
      .where(and(eq(users.id, userId), isNotNull(users.emailVerifiedAt)));
    if (user === undefined) return complete();
    const texts = MESSAGES[user.language ?? DEFAULT_LANGUAGE];
    const mail = texts.secondFactor[about](settings.PUBLIC_BASE_URL + settingsPath("passkeys"));
    if (!(await mailer({ to: user.email, ...mail }))) throw new Error("the mail service did not take the mail");
    return complete();
  },
};
