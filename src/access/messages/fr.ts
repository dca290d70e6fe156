import { some } from "../../platform/languages/fr";
import type * as first from "./en";

const notice = (subject: string, text: string, link: string) => ({
  subject,
  text: `${text}

Si ce n’était pas vous, choisissez un nouveau mot de passe, et vérifiez vos clés d’accès et vos sessions :
${link}
`,
});

export const MESSAGES: typeof first.MESSAGES = {
  passwordReset: (hours, link) => ({
    subject: "Choisir un nouveau mot de passe",
    text: `Quelqu’un, peut-être vous, a demandé un nouveau mot de passe pour votre compte.

Ouvrez ce lien avant ${some(hours, "heure", "heures")} pour en choisir un :
${link}

Si ce n’était pas vous, ne faites rien : votre mot de passe reste le même.
`,
  }),
  secondFactor: {
    on: (link) =>
      notice(
        "Votre connexion demande une clé d’accès",
        "Désormais, une connexion à votre compte avec le mot de passe demande aussi une clé d’accès. Vos autres sessions ont pris fin. Gardez les codes de secours en lieu sûr.",
        link,
      ),
    off: (link) =>
      notice(
        "Votre connexion ne demande plus de clé d’accès",
        "Désormais, le mot de passe suffit pour se connecter à votre compte. Les codes de secours ne valent plus.",
        link,
      ),
    "code-used": (link) =>
      notice(
        "Un code de secours a été utilisé",
        "Une connexion à votre compte a été confirmée avec un code de secours. Ce code ne vaut plus.",
        link,
      ),
    "codes-replaced": (link) =>
      notice(
        "Vos codes de secours ont été remplacés",
        "Votre compte a de nouveaux codes de secours. Les codes précédents ne valent plus.",
        link,
      ),
    "passkey-added": (link) =>
      notice(
        "Une clé d’accès a été ajoutée à votre compte",
        "Elle permet désormais de se connecter à votre compte sans le mot de passe.",
        link,
      ),
    "passkey-removed": (link) =>
      notice(
        "Une clé d’accès de votre compte a été retirée",
        "Elle ne permet plus de se connecter à votre compte.",
        link,
      ),
  },
};
