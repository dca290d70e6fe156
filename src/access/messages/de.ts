import { some } from "../../platform/languages/de";
import type * as first from "./en";

const notice = (subject: string, text: string, link: string) => ({
  subject,
  text: `${text}

Wenn Sie es nicht waren, setzen Sie ein neues Passwort, und sehen Sie sich Ihre Passkeys und Sitzungen an:
${link}
`,
});

export const MESSAGES: typeof first.MESSAGES = {
  passwordReset: (hours, link) => ({
    subject: "Ein neues Passwort setzen",
    text: `Jemand, vielleicht Sie, hat ein neues Passwort für Ihr Konto angefordert.

Öffnen Sie innerhalb von ${some(hours, "Stunde", "Stunden")} diesen Link, um eines zu setzen:
${link}

Wenn Sie es nicht waren, tun Sie nichts: Ihr Passwort bleibt, wie es ist.
`,
  }),
  secondFactor: {
    on: (link) =>
      notice(
        "Ihre Anmeldung verlangt einen Passkey",
        "Eine Anmeldung bei Ihrem Konto mit dem Passwort verlangt ab jetzt auch einen Passkey. Ihre anderen Sitzungen sind beendet. Bewahren Sie die Wiederherstellungscodes sicher auf.",
        link,
      ),
    off: (link) =>
      notice(
        "Ihre Anmeldung verlangt keinen Passkey mehr",
        "Ab jetzt genügt das Passwort, um sich bei Ihrem Konto anzumelden. Die Wiederherstellungscodes gelten nicht mehr.",
        link,
      ),
    "code-used": (link) =>
      notice(
        "Ein Wiederherstellungscode wurde verwendet",
        "Eine Anmeldung bei Ihrem Konto wurde mit einem Wiederherstellungscode bestätigt. Dieser Code gilt nicht mehr.",
        link,
      ),
    "codes-replaced": (link) =>
      notice(
        "Ihre Wiederherstellungscodes wurden ersetzt",
        "Ihr Konto hat neue Wiederherstellungscodes. Die früheren Codes gelten nicht mehr.",
        link,
      ),
    "passkey-added": (link) =>
      notice(
        "Ihrem Konto wurde ein Passkey hinzugefügt",
        "Er meldet sich ab jetzt ohne das Passwort bei Ihrem Konto an.",
        link,
      ),
    "passkey-removed": (link) =>
      notice("Ein Passkey Ihres Kontos wurde entfernt", "Er meldet sich nicht mehr bei Ihrem Konto an.", link),
  },
};
