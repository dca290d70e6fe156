import type * as first from "../en/shell.ts";

export const SHELL: typeof first.SHELL = {
  personal: "Espace personnel",
  mainNavigation: "Navigation principale",
  rail: {
    search: "Chercher",
    locations: "Sites",
    cameras: "Caméras",
    reports: "Rapports",
    inbox: "Boîte",
    settings: "Réglages",
    admin: "Admin",
    reference: "API",
  },
  account: {
    open: (initials, name) => `${initials}, compte de ${name}`,
    theme: "Apparence",
    themes: { system: "Système", light: "Clair", dark: "Sombre" },
    password: "Changer le mot de passe",
    signOut: "Se déconnecter",
  },
  organization: "Organisation",
  opening: "Ouverture de votre espace…",
  openingFailed: "Vos organisations n’ont pas pu être lues",
  lost: "Cette page n’existe pas",
  lostHelp: "Vérifiez l’adresse, ou continuez depuis vos sites.",
};
