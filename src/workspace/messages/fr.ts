import { percent, some } from "../../platform/languages/fr";
import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  memberNow: "Vous êtes maintenant membre",
  shared: {
    organization: "Une organisation a été partagée avec vous",
    cluster: "Un groupe a été partagé avec vous",
    location: "Un site a été partagé avec vous",
    document: "Un document a été partagé avec vous",
  },
  storageFull: "Le stockage est plein",
  storageUsed: (hundredths) => `${percent(hundredths / 100)} du stockage sont utilisés`,
  personalWorkspace: "Espace personnel",
  invitation: (organization, days, link) => ({
    subject: `Invitation à ${organization}`,
    text: `Vous êtes invité à rejoindre ${organization}.\n\nOuvrez ce lien avant ${some(days, "jour", "jours")} pour rejoindre :\n${link}\n`,
  }),
};
