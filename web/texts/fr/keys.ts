import type * as first from "../en/keys.ts";

export const KEYS: typeof first.KEYS = {
  title: "Touches",
  single: "Les touches d’un seul caractère sont actives",
  archive: "Une archive a ses propres touches : appuyez-y sur ?.",
  groups: {
    everywhere: "Partout",
    search: "Recherche",
    documents: "Un document",
    reports: "Un rapport",
    cameras: "Le mur de caméras",
  },
  lines: {
    search: "Tout rechercher",
    keys: "Ces touches",
    close: "Fermer une fenêtre",
    result: "Un autre résultat",
    preview: "Montrer l’aperçu",
    open: "Ouvrir le résultat",
    page: "Une autre page",
    wallPage: "Une autre page dans la salle de contrôle",
    tool: "Un autre outil de la barre",
    undo: "Annuler la dernière modification",
    redo: "La refaire",
  },
};
