import type { Labels } from "./labels";

export const LABELS: Labels = {
  contents: "Índice",
  date: "Fecha",
  preparedBy: "Elaborado por",
  revision: "Revisión",
  page: ["Página ", " de "],
  yes: "Sí",
  no: "No",
  done: "Hecho",
  open: "Pendiente",
  footnotes: "Notas al pie",
  backToReference: "Volver a la referencia {0}",
  name: "Nombre",
  place: "Lugar",
  signature: "Firma",
  pictureMissing: "Falta la imagen",
  reasons: {
    "not-found": "La imagen no existe aquí o no tiene acceso a ella.",
    "not-a-picture": "El documento no es una imagen JPEG, PNG o WebP.",
    damaged: "El archivo de la imagen está dañado.",
    "too-large": "La imagen es demasiado grande.",
    "too-many": "El informe tiene demasiadas imágenes o son demasiado grandes.",
    "being-prepared": "La imagen se está preparando.",
  },
};
