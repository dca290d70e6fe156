import { some } from "../../platform/languages/de";
import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  passwordReset: (hours, link) => ({
    subject: "Ein neues Passwort setzen",
    text: `Jemand, vielleicht Sie, hat ein neues Passwort für Ihr Konto angefordert.

Öffnen Sie innerhalb von ${some(hours, "Stunde", "Stunden")} diesen Link, um eines zu setzen:
${link}

Wenn Sie es nicht waren, tun Sie nichts: Ihr Passwort bleibt, wie es ist.
`,
  }),
};
