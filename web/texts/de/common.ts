import type * as first from "../en/common.ts";
import { number } from "./language.ts";

const PRODUCT = "Dokumenten-Arbeitsbereich";

export const COMMON: typeof first.COMMON = {
  skip: "Zum Inhalt springen",
  close: "Schließen",
  cancel: "Abbrechen",
  edit: "Bearbeiten",
  language: "Sprache",
  tryAgain: "Noch einmal versuchen",
  loading: "Diese Seite wird geöffnet…",
  showMore: "Mehr zeigen",
  toLocations: "Zu Ihren Standorten",
  requestId: (id) => `Anfrage ${id}`,
  copy: "Kopieren",
  copied: "Kopiert",
  unexpected: "Etwas ist schiefgegangen. Versuchen Sie es noch einmal.",
  moving:
    "Die Organisation zieht in eine andere Datenbank um, oder eine Sicherung liest sie. Es wurde nichts geändert. Versuchen Sie es bald noch einmal.",
  unreachable: "Der Dienst antwortet nicht. Prüfen Sie Ihre Verbindung, und versuchen Sie es noch einmal.",
  notTaken: (reason, status, hasRequestId) => {
    const said = reason ?? `Der Objektspeicher hat die Datei nicht angenommen (Antwort ${status}).`;
    const again = `${said} Laden Sie die Datei noch einmal hoch.`;
    const toSay = "Wenn auch das misslingt, nennen Sie dem Betreiber dieses Dienstes den Namen der Datei und die Zeit";
    return hasRequestId ? again : `${again} ${toSay}: Der Objektspeicher hat keine Anfrage genannt.`;
  },
  product: PRODUCT,
  titleOf: (view) => `${view} · ${PRODUCT}`,
  undo: "Rückgängig",
  keys: {
    ctrl: "Strg",
    end: "Ende",
    enter: "Enter",
    esc: "Esc",
    home: "Pos1",
    remove: "Entf",
    shift: "Umschalt",
    space: "Leertaste",
  },
  named: (name, value) => `${name}: ${value}`,
  lessThan: (share) => `weniger als ${share}`,
  moreThan: (share) => `mehr als ${share}`,
  length: {
    days: (count) => `${number(count)} d`,
    hours: (count) => `${count} h`,
    minutes: (count) => `${count} min`,
    none: "weniger als eine Minute",
  },
  viewFailed: "Diese Seite konnte nicht geladen werden",
  viewChanged:
    "Ihre Dateien konnten nicht gelesen werden: Vielleicht wurde der Dienst aktualisiert, oder die Verbindung brach ab. Laden Sie die Seite neu.",
  /** Time zones, which people choose by a city. */
  zone: {
    label: "Zeitzone, nach Stadt",
    now: (time) => `Dort ist es jetzt ${time}.`,
    city: (city, country) => `${city}, ${country}`,
  },
  browserLanguage: "Sprache des Browsers",
  languageFailed: "Ihre Sprache wurde nicht gespeichert",
};
