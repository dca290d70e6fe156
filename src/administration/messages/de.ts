import { percent } from "../../platform/languages/de";
import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  level: (database, hundredths) => `Die Datenbank ${database} ist zu ${percent(hundredths / 100)} voll`,
  advice:
    "Ab 90 % nimmt eine Datenbank keine neue Organisation auf. Fügen Sie eine Datenbank hinzu, oder verschieben Sie Organisationen in eine andere.",
  levelMail: (database, hundredths, link) => ({
    subject: `Die Datenbank ${database} ist zu ${percent(hundredths / 100)} voll`,
    text: `Die Datenbank ${database} hat ${percent(hundredths / 100)} ihrer größten Größe erreicht, die niemand erhöhen kann. Ab 90 % nimmt sie keine neue Organisation auf.\n\nFügen Sie eine Datenbank hinzu, oder verschieben Sie Organisationen in eine andere:\n${link}\n`,
  }),
};
