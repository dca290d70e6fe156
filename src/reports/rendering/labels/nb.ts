import type { Labels } from "./labels";

export const LABELS: Labels = {
  contents: "Innhold",
  date: "Dato",
  preparedBy: "Utarbeidet av",
  revision: "Revisjon",
  page: ["Side ", " av "],
  yes: "Ja",
  no: "Nei",
  done: "Utført",
  open: "Åpen",
  footnotes: "Fotnoter",
  backToReference: "Tilbake til referanse {0}",
  name: "Navn",
  place: "Sted",
  signature: "Underskrift",
  pictureMissing: "Bilde mangler",
  reasons: {
    "not-found": "Bildet finnes ikke her, eller du har ikke tilgang til det.",
    "not-a-picture": "Dokumentet er ikke et JPEG-, PNG- eller WebP-bilde.",
    damaged: "Bildefilen er skadet.",
    "too-large": "Bildet er for stort.",
    "too-many": "Rapporten har for mange eller for store bilder.",
    "being-prepared": "Bildet klargjøres.",
  },
};
