import type { Labels } from "./labels";

export const LABELS: Labels = {
  contents: "Inhalt",
  date: "Datum",
  preparedBy: "Erstellt von",
  revision: "Revision",
  page: ["Seite ", " von "],
  yes: "Ja",
  no: "Nein",
  done: "Erledigt",
  open: "Offen",
  footnotes: "Fußnoten",
  backToReference: "Zurück zum Verweis {0}",
  name: "Name",
  place: "Ort",
  signature: "Unterschrift",
  pictureMissing: "Bild fehlt",
  reasons: {
    "not-found": "Das Bild gibt es hier nicht, oder Sie haben keinen Zugriff darauf.",
    "not-a-picture": "Das Dokument ist kein JPEG-, PNG- oder WebP-Bild.",
    damaged: "Die Bilddatei ist beschädigt.",
    "too-large": "Das Bild ist zu groß.",
    "too-many": "Der Bericht hat zu viele oder zu große Bilder.",
    "being-prepared": "Das Bild wird vorbereitet.",
  },
};
