import type { Labels } from "./labels";

export const LABELS: Labels = {
  contents: "Sommaire",
  date: "Date",
  preparedBy: "Établi par",
  revision: "Révision",
  page: ["Page ", " sur "],
  yes: "Oui",
  no: "Non",
  done: "Fait",
  open: "À faire",
  footnotes: "Notes de bas de page",
  backToReference: "Retour à la référence {0}",
  name: "Nom",
  place: "Lieu",
  signature: "Signature",
  pictureMissing: "Image manquante",
  reasons: {
    "not-found": "L’image n’existe pas ici, ou vous n’y avez pas accès.",
    "not-a-picture": "Le document n’est pas une image JPEG, PNG ou WebP.",
    damaged: "Le fichier de l’image est endommagé.",
    "too-large": "L’image est trop grande.",
    "too-many": "Le rapport contient trop d’images, ou des images trop grandes.",
    "being-prepared": "L’image est en préparation.",
  },
};
