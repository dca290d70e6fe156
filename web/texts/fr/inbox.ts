import type * as first from "../en/inbox.ts";
import { number } from "./language.ts";

export const INBOX: typeof first.INBOX = {
  title: "Notifications",
  bell: (unread) => (unread === 0 ? "Notifications" : `Notifications, ${number(unread)} non lues`),
  unreadCount: (unread) => `${number(unread)} non lues`,
  markAll: "Tout marquer comme lu",
  marked: "Toutes les notifications sont lues.",
  markFailed: "Les notifications n’ont pas été marquées",
  show: "Montrer",
  all: "Toutes",
  unread: "Non lues",
  isUnread: "non lue",
  days: { today: "Aujourd’hui", yesterday: "Hier", earlier: "Plus tôt" },
  none: "Il ne s’est encore rien passé",
  noneHelp:
    "Vous lisez ici quand un document est ajouté, une caméra est muette, un rapport est prêt ou quelqu’un partage un lieu avec vous.",
  noneUnread: "Vous avez tout lu",
  noneUnreadHelp: "Les nouvelles notifications apparaissent ici d’elles-mêmes.",
  showAll: "Tout montrer",
  failed: "Les notifications n’ont pas pu être lues",
  loading: "Lecture de vos notifications…",
  choose: "Choisir les notifications",
};

export const PREFERENCES: typeof first.PREFERENCES = {
  title: "Notifications",
  lead: "Choisissez ce que vos notifications vous disent. Cela ne concerne que vous.",
  failed: "Vos choix n’ont pas pu être lus",
  loading: "Lecture de vos choix…",
  saveFailed: "Votre choix n’a pas été enregistré",
  saved: "Votre choix est enregistré.",
  groups: { work: "Documents, rapports et partages", cameras: "Caméras", storage: "Stockage" },
  types: {
    "document-uploaded": "Un document est ajouté",
    "membership-given": "Vous devenez membre d’une organisation",
    "grant-given": "Quelqu’un partage quelque chose avec vous",
    "report-pdf-ready": "Le PDF d’un rapport est prêt",
    "report-pdf-failed": "Le PDF d’un rapport n’a pas pu être créé",
    "storage-low": "Le stockage est presque plein",
    "storage-full": "Le stockage est plein",
    "export-ready": "Un export est prêt",
    "capture-rejected": "Une image d’une caméra est refusée",
    "camera-silent": "Une caméra devient muette",
    "camera-back": "Une caméra envoie à nouveau des images",
    "organization-deleted": "Une de vos organisations est supprimée",
    "organization-removed": "Le contenu d’une de vos organisations supprimées est retiré",
  },
};
