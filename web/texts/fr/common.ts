import type * as first from "../en/common.ts";
import { number } from "./language.ts";

const PRODUCT = "Espace documentaire";

export const COMMON: typeof first.COMMON = {
  skip: "Aller au contenu",
  close: "Fermer",
  cancel: "Annuler",
  edit: "Modifier",
  language: "Langue",
  tryAgain: "Réessayer",
  loading: "Ouverture de cette page…",
  showMore: "Montrer plus",
  toLocations: "Aller à vos sites",
  requestId: (id) => `Requête ${id}`,
  copy: "Copier",
  copied: "Copié",
  unexpected: "Une erreur est survenue. Réessayez.",
  moving:
    "L’organisation est déplacée vers une autre base de données, ou une sauvegarde la lit. Rien n’a été modifié. Réessayez bientôt.",
  unreachable: "Le service ne répond pas. Vérifiez votre connexion et réessayez.",
  notTaken: (reason, status, hasRequestId) => {
    const said = reason ?? `Le stockage n’a pas accepté le fichier (réponse ${status}).`;
    const again = `${said} Envoyez à nouveau le fichier.`;
    const toSay = "Si cela échoue encore, indiquez à l’exploitant de ce service le nom du fichier et l’heure";
    return hasRequestId ? again : `${again} ${toSay} : le stockage n’a nommé aucune requête.`;
  },
  product: PRODUCT,
  titleOf: (view) => `${view} · ${PRODUCT}`,
  undo: "Rétablir",
  keys: {
    ctrl: "Ctrl",
    end: "Fin",
    enter: "Entrée",
    esc: "Échap",
    home: "Début",
    remove: "Suppr",
    shift: "Maj",
    space: "Espace",
  },
  named: (name, value) => `${name} : ${value}`,
  lessThan: (share) => `moins de ${share}`,
  moreThan: (share) => `plus de ${share}`,
  length: {
    days: (count) => `${number(count)} j`,
    hours: (count) => `${count} h`,
    minutes: (count) => `${count} min`,
    none: "moins d’une minute",
  },
  viewFailed: "Cette page n’a pas pu être chargée",
  viewChanged:
    "Ses fichiers n’ont pas pu être lus : le service a peut-être été mis à jour, ou la connexion s’est coupée. Rechargez la page.",
  /** Time zones, which people choose by a city. */
  zone: {
    label: "Fuseau horaire, par ville",
    now: (time) => `Il y est ${time} maintenant.`,
    city: (city, country) => `${city}, ${country}`,
  },
  browserLanguage: "Langue du navigateur",
  languageFailed: "Votre langue n’a pas été enregistrée",
};
