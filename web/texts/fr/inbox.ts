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
};
