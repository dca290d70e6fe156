import type * as first from "../en/trash.ts";
import { some } from "./language.ts";

export const TRASH: typeof first.TRASH = {
  title: "Papierkorb",
  lead: (name) =>
    `Gelöschte Dokumente, Standorte, Gruppen, Berichte und Vorlagen von ${name}. Sie werden entfernt, wenn ihre Zeit endet.`,
  show: "Zeigen",
  kinds: {
    all: "Alle",
    document: "Dokumente",
    location: "Standorte",
    cluster: "Gruppen",
    report: "Berichte",
    "report-template": "Vorlagen",
  },
  kind: {
    document: "Dokument",
    location: "Standort",
    cluster: "Gruppe",
    report: "Bericht",
    "report-template": "Vorlage",
  },
  left: (days) => (days < 1 ? "noch weniger als ein Tag" : `noch ${some(days, "Tag", "Tage")}`),
  deleted: (time, by) => (by === null ? `gelöscht ${time}` : `gelöscht ${time} von ${by}`),
  restore: "Wiederherstellen",
  restoreOne: (name) => `${name} wiederherstellen`,
  restored: (name) => `„${name}“ ist wieder da.`,
  restoreFailed: "Es wurde nicht wiederhergestellt",
  purge: (name) => `${name} jetzt endgültig löschen`,
  purgeTitle: "Endgültig löschen?",
  purgeHelp: (name) => `„${name}“ und alles darin wird jetzt entfernt. Das lässt sich nicht rückgängig machen.`,
  purgeSend: "Endgültig löschen",
  purgeFailed: "Es wurde nicht entfernt",
  none: "Der Papierkorb ist leer",
  noneHelp: "Was Sie löschen, bleibt einige Wochen hier, sodass Sie es zurückholen können.",
  failed: "Der Papierkorb konnte nicht gelesen werden",
  loading: "Der Papierkorb wird gelesen…",
};
