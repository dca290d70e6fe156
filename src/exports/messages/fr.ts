import { number } from "../../platform/languages/fr";
import type { MESSAGES as english } from "./en";

export const MESSAGES: typeof english = {
  ready: "Un export est prêt à être téléchargé",
  ownData: "Vos propres données",
  made: (day: string) => `Exporté le ${day} (UTC)`,
  search: "Rechercher dans les noms des documents",
  documents: "Documents",
  images: "Images des caméras, par jour",
  name: "Nom",
  bytes: "Octets",
  date: "Date (UTC)",
  rows: "Tout le reste",
  rowsHelp:
    "Le dossier data contient les lignes du service, par exemple les rapports, les annotations et les membres : un objet JSON par ligne. data/schema.json les décrit.",
  missing: (count: number) => `${number(count)} fichiers n’existent plus dans le service.`,
};
