import type { Labels } from "./labels";

export const LABELS: Labels = {
  contents: "Indice",
  date: "Data",
  preparedBy: "Redatto da",
  revision: "Revisione",
  page: ["Pagina ", " di "],
  yes: "Sì",
  no: "No",
  done: "Fatto",
  open: "Da fare",
  footnotes: "Note a piè di pagina",
  backToReference: "Torna al riferimento {0}",
  name: "Nome",
  place: "Luogo",
  signature: "Firma",
  pictureMissing: "Immagine mancante",
  reasons: {
    "not-found": "L’immagine non esiste qui o non è accessibile.",
    "not-a-picture": "Il documento non è un’immagine JPEG, PNG o WebP.",
    damaged: "Il file dell’immagine è danneggiato.",
    "too-large": "L’immagine è troppo grande.",
    "too-many": "Il rapporto contiene troppe immagini o immagini troppo grandi.",
    "being-prepared": "L’immagine è in preparazione.",
  },
};
