import { some } from "../../platform/languages/en";

/** The mails about an account. */
export const MESSAGES = {
  passwordReset: (hours: number, link: string) => ({
    subject: "Set a new password",
    text: `Somebody, perhaps you, asked for a new password of your account.

Open this link within ${some(hours, "hour", "hours")} to set one:
${link}

If it was not you, do nothing: your password stays as it is.
`,
  }),
};
