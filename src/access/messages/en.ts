import { some } from "../../platform/languages/en";

const notice = (subject: string, text: string, link: string) => ({
  subject,
  text: `${text}

If it was not you, set a new password, and look at your passkeys and sessions:
${link}
`,
});

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
  secondFactor: {
    on: (link: string) =>
      notice(
        "Your sign-in asks for a passkey",
        "From now on, a sign-in to your account with the password asks for a passkey, too. Your other sessions have ended. Keep the recovery codes in a safe place.",
        link,
      ),
    off: (link: string) =>
      notice(
        "Your sign-in no longer asks for a passkey",
        "From now on, the password alone signs in to your account. The recovery codes have ended.",
        link,
      ),
    "code-used": (link: string) =>
      notice(
        "A recovery code was used",
        "A sign-in to your account was confirmed with a recovery code. That code works no more.",
        link,
      ),
    "codes-replaced": (link: string) =>
      notice(
        "Your recovery codes were replaced",
        "Your account has new recovery codes. The earlier codes work no more.",
        link,
      ),
    "passkey-added": (link: string) =>
      notice(
        "A passkey was added to your account",
        "It signs in to your account from now on, without the password.",
        link,
      ),
    "passkey-removed": (link: string) =>
      notice("A passkey was removed from your account", "It signs in to your account no more.", link),
  },
};
