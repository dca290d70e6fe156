import type * as first from "../en/uploads.ts";
import { some } from "./language.ts";

export const UPLOADS: typeof first.UPLOADS = {
  title: "Uploads",
  summary: (done, all) => `${done} von ${some(all, "Datei", "Dateien")} hochgeladen`,
  failedSome: (failed) => `${some(failed, "Datei", "Dateien")} nicht hochgeladen`,
  waiting: "Wartet",
  checking: "Die Prüfsumme wird berechnet",
  sending: (sent, total) => `${sent} von ${total}`,
  finishing: "Wird geprüft",
  done: "Hochgeladen",
  cancelled: "Abgebrochen",
  offline: "Keine Verbindung. Es geht von selbst weiter.",
  paused: "Angehalten",
  pause: (name) => `Den Upload von ${name} anhalten`,
  goOn: (name) => `Den Upload von ${name} fortsetzen`,
  tryNow: (name) => `Den Upload von ${name} jetzt versuchen`,
  unfinished: "Nicht beendete Uploads",
  left: (sent, total) => `${sent} von ${total} sind da.`,
  chooseAgain: "Zum Fortsetzen dieselbe Datei wählen",
  cancel: (name) => `Den Upload von ${name} abbrechen`,
  retry: (name) => `${name} noch einmal hochladen`,
  progress: (name) => `Upload von ${name}`,
  clear: "Die Liste leeren",
  cancelAll: "Alle abbrechen",
  tooLarge: "Die Datei hat mehr als 2 GiB.",
  unreadable: "Der Browser kann diese Datei nicht lesen. Vielleicht hat sie sich geändert: Wählen Sie sie noch einmal.",
};
