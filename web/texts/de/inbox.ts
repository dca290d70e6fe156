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
  choose: "Benachrichtigungen wählen",
};

export const PREFERENCES: typeof first.PREFERENCES = {
  title: "Benachrichtigungen",
  lead: "Wählen Sie, was Ihr Posteingang Ihnen sagt. Es betrifft nur Sie.",
  failed: "Ihre Wahl konnte nicht gelesen werden",
  loading: "Ihre Wahl wird gelesen…",
  saveFailed: "Ihre Wahl wurde nicht gespeichert",
  saved: "Ihre Wahl ist gespeichert.",
  groups: { work: "Dokumente, Berichte und Freigaben", cameras: "Kameras", storage: "Speicher" },
  types: {
    "document-uploaded": "Ein Dokument kommt dazu",
    "membership-given": "Sie werden Mitglied einer Organisation",
    "grant-given": "Jemand teilt etwas mit Ihnen",
    "report-pdf-ready": "Das PDF eines Berichts ist bereit",
    "report-pdf-failed": "Das PDF eines Berichts konnte nicht erstellt werden",
    "storage-low": "Der Speicher ist fast voll",
    "storage-full": "Der Speicher ist voll",
    "export-ready": "Ein Export ist bereit",
    "capture-rejected": "Ein Bild einer Kamera wird abgelehnt",
    "camera-silent": "Eine Kamera verstummt",
    "camera-back": "Eine Kamera sendet wieder Bilder",
    "organization-deleted": "Eine Ihrer Organisationen ist gelöscht",
    "organization-removed": "Der Inhalt einer Ihrer gelöschten Organisationen ist entfernt",
  },
};
