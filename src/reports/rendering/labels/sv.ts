import type { Labels } from "./labels";

export const LABELS: Labels = {
  contents: "Innehåll",
  date: "Datum",
  preparedBy: "Upprättad av",
  revision: "Revision",
  page: ["Sida ", " av "],
  yes: "Ja",
  no: "Nej",
  done: "Klar",
  open: "Öppen",
  footnotes: "Fotnoter",
  backToReference: "Tillbaka till hänvisning {0}",
  name: "Namn",
  place: "Ort",
  signature: "Underskrift",
  pictureMissing: "Bild saknas",
  reasons: {
    "not-found": "Bilden finns inte här, eller så har du inte åtkomst till den.",
    "not-a-picture": "Dokumentet är ingen JPEG-, PNG- eller WebP-bild.",
    damaged: "Bildfilen är skadad.",
    "too-large": "Bilden är för stor.",
    "too-many": "Rapporten har för många eller för stora bilder.",
    "being-prepared": "Bilden förbereds.",
  },
};
