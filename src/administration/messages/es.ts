import { percent } from "../../platform/languages/es";
import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  level: (database, hundredths) => `La base de datos ${database} está al ${percent(hundredths / 100)}`,
  advice: "A partir del 90 %, una base no admite organizaciones nuevas. Añada una base, o mueva organizaciones a otra.",
  levelMail: (database, hundredths, link) => ({
    subject: `La base de datos ${database} está al ${percent(hundredths / 100)}`,
    text: `La base de datos ${database} ha llegado al ${percent(hundredths / 100)} de su tamaño máximo, que nadie puede aumentar. A partir del 90 % no admite organizaciones nuevas.\n\nAñada una base, o mueva organizaciones a otra:\n${link}\n`,
  }),
};
