import type * as first from "../en/folders.ts";
import { number, some } from "./language.ts";

export const FOLDERS: typeof first.FOLDERS = {
  title: "Ordner",
  create: "Neuer Ordner",
  name: "Name",
  createHelp: "Der Ordner entsteht in dem Ordner, den Sie sehen.",
  createFailed: "Der Ordner wurde nicht angelegt",
  created: (name) => `Der Ordner „${name}“ ist bereit.`,
  rename: (name) => `Ordner ${name} umbenennen`,
  renameFailed: "Der Ordner wurde nicht umbenannt",
  move: (name) => `Ordner ${name} verschieben`,
  moveSend: "Verschieben",
  into: "In diesen Ordner verschieben",
  intoHelp: "Zum Beispiel „inspections/2026“. Lassen Sie es leer für die oberste Ebene des Standorts.",
  moveFailed: "Der Ordner wurde nicht verschoben",
  moved: (name) => `Der Ordner „${name}“ ist verschoben.`,
  movedTo: (name, location) => `Der Ordner „${name}“ ist jetzt am Standort ${location}.`,
  remove: (name) => `Ordner ${name} löschen`,
  removed: (name, documents) =>
    documents === 0
      ? `Der Ordner „${name}“ ist gelöscht.`
      : `Der Ordner „${name}“ ist gelöscht. ${some(documents, "Dokument ist", "Dokumente sind")} im Papierkorb.`,
  removeFailed: "Der Ordner wurde nicht gelöscht",
  undone: (name) => `Der Ordner „${name}“ ist wie zuvor.`,
  undoFailed: "Die Änderung wurde nicht rückgängig gemacht",
  left: (count, reason) => `${some(count, "Dokument bleibt", "Dokumente bleiben")}: ${reason}`,
  stopped: "Der Vorgang endete, weil der Standort gelöscht wurde.",
  running: {
    move: (name) => `Der Ordner „${name}“ wird verschoben`,
    delete: (name) => `Der Ordner „${name}“ wird gelöscht`,
    restore: (name) => `Der Ordner „${name}“ wird wiederhergestellt`,
  },
  progress: (done, total) => `${number(done)} von ${some(total, "Dokument", "Dokumenten")}`,
  failed: "Die Ordner konnten nicht gelesen werden",
};
