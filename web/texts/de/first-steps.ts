import type * as first from "../en/first-steps.ts";
import { number } from "./language.ts";

export const FIRST_STEPS: typeof first.FIRST_STEPS = {
  title: (name) => `Erste Schritte für ${name}`,
  progress: (done, all) => `${number(done)} von ${number(all)} getan`,
  lead: "Jeder Schritt hat seinen Knopf. Die Karte verschwindet, wenn alle vier getan sind.",
  done: "Getan",
  hide: "Diese Schritte ausblenden",
  hidden: "Die Schritte sind ausgeblendet.",
  needsPlace: "Legen Sie zuerst einen Standort an.",
  steps: {
    place: {
      title: "Ein Standort",
      help: "Eine Baustelle, ein Gebäude oder ein Liegeplatz. Alles andere gehört zu einem Standort.",
      button: "Neuer Standort",
    },
    documents: {
      title: "Dokumente",
      help: "Ziehen Sie Dateien auf die Seite des Standorts. Die Suche findet ihren Text nach einem Moment.",
      button: "Dokumente hinzufügen",
    },
    people: {
      title: "Personen",
      help: "Mitglieder sehen die Organisation. Gäste sehen nur, was Sie mit ihnen teilen.",
      button: "Person hinzufügen",
    },
    camera: {
      title: "Eine Kamera",
      help: "Sie sendet alle paar Minuten ein Bild, und ihr Archiv wächst von selbst.",
      button: "Neue Kamera",
    },
  },
};
