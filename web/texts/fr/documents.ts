import type * as first from "../en/documents.ts";
import { some } from "./language.ts";

const OFFICE = "application/vnd.openxmlformats-officedocument";
const OPEN_DOCUMENT = "application/vnd.oasis.opendocument";

export const FORMATS: typeof first.FORMATS = {
  byType: {
    "application/pdf": "PDF",
    [`${OFFICE}.wordprocessingml.document`]: "Document Word",
    [`${OFFICE}.spreadsheetml.sheet`]: "Feuille Excel",
    [`${OFFICE}.presentationml.presentation`]: "Présentation PowerPoint",
    [`${OPEN_DOCUMENT}.text`]: "Document texte (ODT)",
    [`${OPEN_DOCUMENT}.spreadsheet`]: "Feuille de calcul (ODS)",
    [`${OPEN_DOCUMENT}.presentation`]: "Présentation (ODP)",
    "application/rtf": "Document texte (RTF)",
    "application/zip": "Archive ZIP",
    "message/rfc822": "E-mail",
    "text/csv": "Tableau (CSV)",
    "text/html": "Page web",
    "text/markdown": "Texte Markdown",
    "text/plain": "Texte",
  },
  byFamily: { image: "Image", audio: "Son", video: "Film" },
  variant: (family, kind) => `${family} (${kind})`,
  byEnding: (ending) => `Fichier ${ending}`,
  unknown: "Fichier",
};

export const DOCUMENTS: typeof first.DOCUMENTS = {
  title: "Documents",
  upload: "Envoyer",
  uploadFolder: "Envoyer un dossier",
  folders: "Dossiers",
  allFolders: "Tous les documents",
  columns: { name: "Nom", version: "Version", text: "Texte", size: "Taille", changed: "Modifié", actions: "Actions" },
  none: "Pas encore de document",
  noneHelp:
    "Déposez des fichiers ou des dossiers n’importe où sur cette page. Leur texte est lu dès leur arrivée, pour que la recherche le trouve.",
  noneReadOnly: "Les documents ajoutés par d’autres apparaissent ici.",
  choose: "Choisir des fichiers",
  drop: "Déposez des fichiers ou des dossiers n’importe où sur cette page, ou",
  dropChoose: "choisissez-les",
  dropLimit: "100 MiB au plus chacun",
  download: (name) => `Télécharger ${name}`,
  remove: (name) => `Supprimer ${name}`,
  removed: (name) => `« ${name} » est dans la corbeille.`,
  restored: (name) => `« ${name} » est de retour.`,
  failed: "Les documents n’ont pas pu être lus",
  downloadFailed: "Le fichier n’a pas pu être téléchargé",
  removeFailed: "Le document n’a pas été supprimé",
  restoreFailed: "Le document n’a pas été restauré",
  loading: "Lecture des documents…",
  added: "a été ajouté",
  hasVersion: (version) => `a la version ${version}`,
  version: (version) => `v${version}`,
  text: ({ textStatus, pageCount }) => {
    const pages = pageCount === null ? "" : `, ${some(pageCount, "page", "pages")}`;
    return {
      pending: "Lecture du texte en cours",
      indexed: `Texte trouvé${pages}`,
      empty: "Aucun texte trouvé",
      encrypted: "Chiffré : texte illisible",
      damaged: "Endommagé : texte illisible",
      unsupported: "Pas de texte dans ce type de fichier",
      "unknown-charset": "Caractères inconnus : texte illisible",
      "too-large": "Trop grand pour que son texte soit lu",
      failed: "Le texte n’a pas pu être lu",
      recognizing: "Scan : reconnaissance du texte en cours",
      recognized: `Scan : texte reconnu${pages}`,
      illegible: "Image : aucun texte trouvé",
      "recognition-off": "Scan : la reconnaissance de texte est désactivée",
      "recognition-limit": "Scan : la reconnaissance de texte reprend le mois prochain",
    }[textStatus];
  },
};
