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
  cancel: (name) => `Den Upload von ${name} abbrechen`,
  retry: (name) => `${name} noch einmal hochladen`,
  progress: (name) => `Upload von ${name}`,
  clear: "Die Liste leeren",
  cancelAll: "Alle abbrechen",
  tooLarge: "Die Datei hat mehr als 100 MiB.",
  unreadable: "Der Browser kann diese Datei nicht lesen. Vielleicht hat sie sich geändert: Wählen Sie sie noch einmal.",
};
