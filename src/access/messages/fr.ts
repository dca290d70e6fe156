import { some } from "../../platform/languages/fr";
import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  passwordReset: (hours, link) => ({
    subject: "Choisir un nouveau mot de passe",
    text: `Quelqu’un, peut-être vous, a demandé un nouveau mot de passe pour votre compte.

Ouvrez ce lien avant ${some(hours, "heure", "heures")} pour en choisir un :
${link}

Si ce n’était pas vous, ne faites rien : votre mot de passe reste le même.
`,
  }),
};
