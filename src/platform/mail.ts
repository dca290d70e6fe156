import { describeFailure, log } from "./log";

export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Sends mail to people; says whether the mail service took it. */
export type Mailer = (mail: Mail) => Promise<boolean>;

/** The mailer over an Email Service binding, or null where the operator has bound none. */
export function openMailer(binding: SendEmail | undefined, from: string | undefined): Mailer | null {
  if (binding === undefined || from === undefined) return null;
  return async ({ to, subject, text }) => {
    try {
      await binding.send({ from, to, subject, text });
      return true;
    } catch (thrown) {
      log("error", "mail.failed", describeFailure(thrown));
      return false;
    }
  };
}
