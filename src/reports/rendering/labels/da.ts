import type { Labels } from "./labels";

export const LABELS: Labels = {
  contents: "Indhold",
  date: "Dato",
  preparedBy: "Udarbejdet af",
  revision: "Revision",
  page: ["Side ", " af "],
  yes: "Ja",
  no: "Nej",
  done: "Udført",
  open: "Åben",
  footnotes: "Fodnoter",
  backToReference: "Tilbage til henvisning {0}",
  name: "Navn",
  place: "Sted",
  signature: "Underskrift",
  pictureMissing: "Billede mangler",
  reasons: {
    "not-found": "Billedet findes ikke her, eller du har ikke adgang til det.",
    "not-a-picture": "Dokumentet er ikke et JPEG-, PNG- eller WebP-billede.",
    damaged: "Billedfilen er beskadiget.",
    "too-large": "Billedet er for stort.",
    "too-many": "Rapporten har for mange eller for store billeder.",
    "being-prepared": "Billedet klargøres.",
  },
};
