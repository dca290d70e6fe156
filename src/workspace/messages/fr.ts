import { dateFormat, list, number, percent, sizeOf, some } from "../../platform/languages/fr";
import type * as first from "./en";

const day = dateFormat({ day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

export const MESSAGES: typeof first.MESSAGES = {
  memberNow: "Vous êtes maintenant membre",
  shared: {
    organization: "Une organisation a été partagée avec vous",
    cluster: "Un groupe a été partagé avec vous",
    location: "Un site a été partagé avec vous",
    document: "Un document a été partagé avec vous",
  },
  sharedDocuments: (count) => `${some(count, "document a été partagé", "documents ont été partagés")} avec vous`,
  documentNames: (names, more) =>
    list(more === 0 ? names : [...names, some(more, "autre document", "autres documents")]),
  storageFull: "Le stockage est plein",
  storageUsed: (hundredths) => `${percent(hundredths / 100)} du stockage sont utilisés`,
  personalWorkspace: "Espace personnel",
  invitation: (organization, days, link) => ({
    subject: `Invitation à ${organization}`,
    text: `Vous êtes invité à rejoindre ${organization}.\n\nOuvrez ce lien avant ${some(days, "jour", "jours")} pour rejoindre :\n${link}\n`,
  }),
  sharesThing: { cluster: "un groupe", location: "un site", document: "un document" },
  shareInvitation: (organization, thing, until, link) => ({
    subject: `${organization} partage ${thing} avec vous`,
    text: `${organization} partage ${thing} avec vous.\n\nOuvrez ce lien au plus tard le ${day(until)}. Vous vous connectez ou vous inscrivez avec cette adresse\u00a0:\n${link}\n\nSi vous n’attendez pas ce message, ignorez-le.\n`,
  }),
  organizationDeleted: "Une organisation est supprimée",
  organizationRemoved: "Une organisation est retirée",
  restorable: (name, until) => `${name}. Ses propriétaires peuvent la restaurer jusqu’au ${day(until)}.`,
  beingRemoved: (name) => `${name}. Son contenu est en cours de retrait.`,
  deletedMail: (name, by, until, link) => ({
    subject: `${name} est supprimée`,
    text: `${name} a été supprimée${by === null ? "" : ` par ${by}`}. Plus personne ne la trouve, et ses caméras et liens de partage sont arrêtés.

${until === null ? "Son contenu est en cours de retrait. Rien ne la ramène." : `Chaque propriétaire peut la restaurer jusqu’au ${day(until)} :\n${link}`}
`,
  }),
  removedKinds: {
    members: "Membres",
    clusters: "Groupes",
    locations: "Sites",
    documents: "Documents",
    documentVersions: "Versions de documents",
    annotations: "Annotations",
    reports: "Rapports",
    reportTemplates: "Modèles de rapport",
    cameras: "Caméras",
    images: "Images de caméras",
    shareLinks: "Liens de partage",
    grants: "Partages",
    invitations: "Invitations",
    brandingFiles: "Fichiers de l’identité visuelle",
  },
  removedLine: (kind, count, bytes) => `- ${kind} : ${number(count)}${bytes === null ? "" : ` (${sizeOf(bytes)})`}`,
  removedMail: (name, at, contents, link) => ({
    subject: `${name} est retirée`,
    text: `Tout le contenu de ${name} a été retiré le ${day(at)}. Voici ce qu’il y avait :\n\n${contents}\n\nLe reçu est aussi gardé ici :\n${link}\n`,
  }),
};
