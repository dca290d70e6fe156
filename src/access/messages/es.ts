import { some } from "../../platform/languages/es";
import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  passwordReset: (hours, link) => ({
    subject: "Poner una contraseña nueva",
    text: `Alguien, quizá usted, pidió una contraseña nueva para su cuenta.

Abra este enlace antes de ${some(hours, "hora", "horas")} para ponerla:
${link}

Si no fue usted, no haga nada: su contraseña se queda como está.
`,
  }),
};
