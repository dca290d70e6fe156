import { describeFailure, log } from "./log";

/* Every mail of the service leaves through this file. Another provider is another `openMailer`. */

export interface Mail {
  to: string;
  subject: string;
  text: string;
  /** Header fields, such as those of an answer. */
  headers?: Readonly<Record<string, string>>;
}

/** Sends mail. Returns whether the mail service accepted it. */
export type Mailer = (mail: Mail) => Promise<boolean>;

/** Opens the mailer of an Email Service binding; null without a binding or a sender address. */
export function openMailer(binding: SendEmail | undefined, from: string | undefined): Mailer | null {
  if (binding === undefined || from === undefined) return null;
  return async ({ to, subject, text, headers }) => {
    try {
      await binding.send({ from, to, subject, text, ...(headers && { headers: { ...headers } }) });
      return true;
    } catch (thrown) {
      log("error", "mail.failed", describeFailure(thrown));
      return false;
    }
  };
}
