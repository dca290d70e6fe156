import type * as first from "../en/keys.ts";

export const KEYS: typeof first.KEYS = {
  title: "Tasten",
  single: "Tasten mit einem Zeichen sind an",
  archive: "Ein Archiv hat eigene Tasten: Drücken Sie dort ?.",
  groups: {
    everywhere: "Überall",
    search: "Suche",
    documents: "Ein Dokument",
    reports: "Ein Bericht",
    cameras: "Die Kamerawand",
  },
  lines: {
    search: "Alles durchsuchen",
    keys: "Diese Tasten",
    close: "Ein Fenster schließen",
    result: "Ein anderes Ergebnis",
    preview: "Die Vorschau zeigen",
    open: "Das Ergebnis öffnen",
    page: "Eine andere Seite",
    wallPage: "Andere Seite in der Leitstelle",
    tool: "Ein anderes Werkzeug der Leiste",
    undo: "Die letzte Änderung zurücknehmen",
    redo: "Sie wiederholen",
  },
};
