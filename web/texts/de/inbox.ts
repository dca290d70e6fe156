import type * as first from "../en/inbox.ts";
import { number } from "./language.ts";

export const INBOX: typeof first.INBOX = {
  title: "Posteingang",
  bell: (unread) => (unread === 0 ? "Posteingang" : `Posteingang, ${number(unread)} ungelesen`),
  unreadCount: (unread) => `${number(unread)} ungelesen`,
  markAll: "Alle als gelesen markieren",
  marked: "Alle Benachrichtigungen sind gelesen.",
  markFailed: "Die Benachrichtigungen wurden nicht markiert",
  show: "Zeigen",
  all: "Alle",
  unread: "Ungelesen",
  isUnread: "ungelesen",
  days: { today: "Heute", yesterday: "Gestern", earlier: "Früher" },
  none: "Noch ist nichts geschehen",
  noneHelp:
    "Hier lesen Sie, wenn ein Dokument dazukommt, eine Kamera stumm ist, ein Bericht bereit ist oder jemand einen Ort mit Ihnen teilt.",
  noneUnread: "Sie haben alles gelesen",
  noneUnreadHelp: "Neue Benachrichtigungen erscheinen hier von selbst.",
  showAll: "Alle zeigen",
  failed: "Der Posteingang konnte nicht gelesen werden",
  loading: "Ihr Posteingang wird gelesen…",
};
