import { some } from "../../platform/languages/es";
import type * as first from "./en";

const notice = (subject: string, text: string, link: string) => ({
  subject,
  text: `${text}

Si no fue usted, ponga una contraseña nueva y mire sus llaves de acceso y sesiones:
${link}
`,
});

export const MESSAGES: typeof first.MESSAGES = {
  passwordReset: (hours, link) => ({
    subject: "Poner una contraseña nueva",
    text: `Alguien, quizá usted, pidió una contraseña nueva para su cuenta.

Abra este enlace antes de ${some(hours, "hora", "horas")} para ponerla:
${link}

Si no fue usted, no haga nada: su contraseña se queda como está.
`,
  }),
  secondFactor: {
    on: (link) =>
      notice(
        "Su inicio de sesión pide una llave de acceso",
        "Desde ahora, un inicio de sesión en su cuenta con la contraseña pide también una llave de acceso. Sus otras sesiones han terminado. Guarde los códigos de recuperación en un lugar seguro.",
        link,
      ),
    off: (link) =>
      notice(
        "Su inicio de sesión ya no pide una llave de acceso",
        "Desde ahora, la contraseña basta para iniciar sesión en su cuenta. Los códigos de recuperación ya no valen.",
        link,
      ),
    "code-used": (link) =>
      notice(
        "Se usó un código de recuperación",
        "Un inicio de sesión en su cuenta se confirmó con un código de recuperación. Ese código ya no vale.",
        link,
      ),
    "codes-replaced": (link) =>
      notice(
        "Se reemplazaron sus códigos de recuperación",
        "Su cuenta tiene códigos de recuperación nuevos. Los anteriores ya no valen.",
        link,
      ),
    "passkey-added": (link) =>
      notice(
        "Se añadió una llave de acceso a su cuenta",
        "Desde ahora inicia sesión en su cuenta sin la contraseña.",
        link,
      ),
    "passkey-removed": (link) =>
      notice("Se quitó una llave de acceso de su cuenta", "Ya no inicia sesión en su cuenta.", link),
  },
};
