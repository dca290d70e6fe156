import { eq } from "drizzle-orm";
import { users } from "../../access/tables";
import type { Context } from "../../platform/context";
import { sha256Hex } from "../../platform/crypto/bytes";
import type { Change } from "../../platform/db/change";
import { DomainError } from "../../platform/errors";
import { consumeRateLimit } from "../../platform/http/rate-limit";
import { complete, type JobHandler } from "../../platform/jobs/handlers";
import { DEFAULT_LANGUAGE, type ReaderLanguage } from "../../platform/languages/languages";
import { ANSWERS_PER_SENDER } from "../limits";
import { ARRIVALS } from "../messages";
import { mailArrivals } from "../tables";
import type { ArrivalRow } from "./addresses";
import type { MailHeaders } from "./headers";

/** Mailboxes that no person reads. */
const UNREAD = /^(?:mailer-daemon|postmaster|bounces?|no-?reply|do-?not-?reply)(?:[+.-]|@)/;

/**
 * Whether a refused mail is answered with a mail. Only a sender whose domain vouches for the mail gets one: the answer to any other
 * could go to a stranger. Programs and lists get none, so that two programs never answer each other.
 */
export const mayAnswer = (
  { mailer, settings }: Pick<Context, "mailer" | "settings">,
  headers: MailHeaders | null,
  envelope: string | null,
): boolean =>
  mailer !== null &&
  headers?.from != null &&
  envelope !== null &&
  headers.authentication === "passed" &&
  !headers.isAutomatic &&
  ![envelope, headers.from].some((one) => UNREAD.test(one) || one.endsWith(`@${settings.MAIL_DOMAIN ?? ""}`));

/** The reason of a refusal in words. */
const reasonIn = (language: ReaderLanguage, { reason, named }: Pick<ArrivalRow, "reason" | "named">): string =>
  reason === null ? "" : ARRIVALS[language].reasons[reason](named ?? "");

/** The refusal as the server that delivers the mail gets it, in English. */
export const refusalSentence = (row: ArrivalRow): string => `The mail was refused. ${reasonIn(DEFAULT_LANGUAGE, row)}`;

/** Queues the answer to a refused mail, in the change that refuses it. */
export function queueAnswer(change: Change, { id: arrivalId, tenantId, answerTo }: ArrivalRow): void {
  if (answerTo !== null) change.job("answer-arrival", { arrivalId }, { tenantId });
}

/** Whether an address may get another answer. */
async function mayStillGet(context: Context, address: string): Promise<boolean> {
  try {
    await consumeRateLimit(context, `mail:answers:${await sha256Hex(address)}`, ANSWERS_PER_SENDER);
    return true;
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.code === "rate-limited") return false;
    throw thrown;
  }
}

/** The language that the person with this address has chosen. */
async function languageOf({ directory }: Pick<Context, "directory">, address: string): Promise<ReaderLanguage> {
  const [person] = await directory
    .select({ language: users.language, verifiedAt: users.emailVerifiedAt })
    .from(users)
    .where(eq(users.email, address));
  return (person?.verifiedAt != null ? person.language : null) ?? DEFAULT_LANGUAGE;
}

/** Mails the sender of a refused mail why it was refused. */
export const answerArrival: JobHandler<"answer-arrival"> = {
  async run(context, { payload: { arrivalId } }) {
    const { mailer, workspace } = context;
    const [row] = await workspace.select().from(mailArrivals).where(eq(mailArrivals.id, arrivalId));
    if (mailer === null || row === undefined || row.status !== "refused" || row.answerTo === null) return complete();
    if (!(await mayStillGet(context, row.answerTo))) return complete();
    const language = await languageOf(context, row.answerTo);
    const texts = ARRIVALS[language];
    const isSent = await mailer({
      to: row.answerTo,
      subject: texts.subject(row.subject),
      text: `${texts.begin(row.subject)}\n\n${reasonIn(language, row)}\n\n${texts.again}\n`,
      headers: {
        "Auto-Submitted": "auto-replied",
        ...(row.messageId !== null && { "In-Reply-To": row.messageId, References: row.messageId }),
      },
    });
    if (!isSent) throw new Error("the mail service did not take the mail");
    return complete();
  },
};
