import type * as first from "../en/locations.ts";
import { number, some } from "./language.ts";

export const LOCATIONS: typeof first.LOCATIONS = {
  title: "Sites",
  count: (locations, clusters) => `${some(locations, "site", "sites")} dans ${some(clusters, "groupe", "groupes")}`,
  create: "Nouveau site",
  trash: "Corbeille",
  none: (name) => `Pas encore de site dans ${name}`,
  noneHelp: "Un site est un lieu avec ses documents. Créez le premier.",
  noneReadOnly: "Vous voyez un site ici quand quelqu’un le crée ou le partage avec vous.",
  emptyCluster: "Aucun site dans ce groupe.",
  failed: "Les sites n’ont pas pu être lus",
  loading: "Lecture de vos sites…",
};

export const MAP: typeof first.MAP = {
  label: "Carte des sites. Les flèches la déplacent, plus et moins changent l’échelle.",
  list: "Sites sur la carte",
  forms: "Forme de la page",
  asList: "Liste",
  asMap: "Carte",
  closer: "Agrandir",
  further: "Réduire",
  all: "Montrer tous les sites",
  cluster: (locations, troubled) =>
    troubled === 0
      ? some(locations, "site", "sites")
      : `${some(locations, "site", "sites")}, dont ${number(troubled)} avec des caméras muettes`,
  shown: (locations) => `${some(locations, "site", "sites")} dans cette partie de la carte`,
  silent: (cameras) => some(cameras, "caméra muette", "caméras muettes"),
  cameras: (cameras) => some(cameras, "caméra", "caméras"),
  unread: (notes) => some(notes, "non lue", "non lues"),
  calm: "Rien de nouveau",
  unplaced: "Sans place sur la carte",
  unplacedHelp: "Donnez à un site sa latitude et sa longitude avec « Modifier » sur sa page.",
  none: "Aucun site ne se trouve dans cette partie de la carte.",
  stateFailed: "L’état des sites n’a pas pu être lu",
  first: (locations) => `La carte montre les ${number(locations)} premiers sites.`,
};

export const NEW_LOCATION: typeof first.NEW_LOCATION = {
  title: "Nouveau site",
  name: "Nom",
  address: "Adresse (facultatif)",
  cluster: "Groupe",
  newCluster: "Nouveau groupe…",
  clusterName: "Nom du nouveau groupe",
  clusterHelp: "Un groupe réunit des sites.",
  send: "Créer le site",
  failed: "Le site n’a pas été créé",
};

export const LOCATION: typeof first.LOCATION = {
  back: "Sites",
  tabs: "Parties du site",
  cameras: "Caméras",
  documents: "Documents",
  reports: "Rapports",
  people: "Personnes",
  failed: "Ce site n’a pas pu être ouvert",
  gone: "Vous ne pouvez pas voir ce site",
  goneHelp: "Il a été supprimé, ou personne ne le partage plus avec vous.",
  revoked: (name) => `Vous n’avez plus accès à ${name ?? "ce site"}`,
  revokedHelp: (time) =>
    `Depuis ${time}, il est supprimé, ou personne ne le partage plus avec vous. La page est fermée ; vos propres documents ailleurs ne sont pas touchés.`,
  overview: "Aperçu",
  overviewFailed: "L’aperçu n’a pas pu être lu",
  annotations: "Annotations",
  lately: "Récemment",
  nothingLately:
    "Rien n’a encore changé ici. Ajoutez des documents, des caméras, des rapports ou des annotations dans leurs onglets.",
  latest: "Dernières images",
  onMap: "Montrer sur la carte de tous les sites",
  allCameras: (cameras) => (cameras === 1 ? "La caméra" : `Les ${number(cameras)} caméras`),
  somebody: "Quelqu’un",
  happened: {
    document: (who) => [`${who} a ajouté `, "."],
    version: (version) => ["", ` a une version ${number(version)}.`],
    annotation: () => ["L’annotation ", " a été ajoutée."],
    annotationChanged: () => ["L’annotation ", " a été modifiée."],
    report: () => ["Le rapport ", " a été commencé."],
    reportChanged: () => ["Le rapport ", " a été modifié."],
    silent: () => ["", " est devenue muette."],
  },
  facts: "À propos du site",
  localTime: "Heure locale",
  plan: (points) =>
    points === 0 ? "Plan autour du site" : `Plan autour du site, avec ${some(points, "annotation", "annotations")}`,
  north: "N",
  edit: "Modifier",
  remove: "Supprimer",
  removeTitle: "Supprimer le site ?",
  removeHelp: (name) =>
    `« ${name} » va dans la corbeille avec ses documents, caméras, rapports et annotations. Vous pouvez l’y restaurer pendant quelques semaines.`,
  removeFailed: "Le site n’a pas été supprimé",
  removed: (name) => `« ${name} » est dans la corbeille.`,
  restored: (name) => `« ${name} » est de retour.`,
  restoreFailed: "Le site n’a pas été restauré",
  loading: "Ouverture du site…",
};

export const EDIT_LOCATION: typeof first.EDIT_LOCATION = {
  title: "Modifier le site",
  name: "Nom",
  address: "Adresse",
  description: "Description",
  latitude: "Latitude",
  longitude: "Longitude",
  timeZone: "Fuseau horaire",
  timeZoneHelp: "Les dates de ses rapports et les heures de ses caméras l’utilisent.",
  noZone: "Non défini (UTC)",
  send: "Enregistrer",
  failed: "Le site n’a pas été modifié",
};

export const SHARED: typeof first.SHARED = {
  title: "Ajouter les fichiers partagés",
  help: (files) => `${some(files, "fichier", "fichiers")} de cet appareil. Choisissez le site qui les reçoit.`,
  location: "Site",
  send: "Ajouter ici",
  none: "Aucun fichier n’est arrivé. Partagez-le à nouveau depuis l’autre application.",
  failed: "Les fichiers n’ont pas été ajoutés",
  nowhere: "Vous ne pouvez ajouter de documents à aucun site de cet espace.",
};
