import type { Labels } from "./labels";

export const LABELS: Labels = {
  contents: "Inhoud",
  date: "Datum",
  preparedBy: "Opgesteld door",
  revision: "Revisie",
  page: ["Pagina ", " van "],
  yes: "Ja",
  no: "Nee",
  done: "Gereed",
  open: "Open",
  footnotes: "Voetnoten",
  backToReference: "Terug naar verwijzing {0}",
  name: "Naam",
  place: "Plaats",
  signature: "Handtekening",
  pictureMissing: "Afbeelding ontbreekt",
  reasons: {
    "not-found": "De afbeelding bestaat hier niet, of u hebt er geen toegang toe.",
    "not-a-picture": "Het document is geen JPEG-, PNG- of WebP-afbeelding.",
    damaged: "Het afbeeldingsbestand is beschadigd.",
    "too-large": "De afbeelding is te groot.",
    "too-many": "Het rapport heeft te veel of te grote afbeeldingen.",
    "being-prepared": "De afbeelding wordt voorbereid.",
  },
};
