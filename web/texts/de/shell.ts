import type * as first from "../en/shell.ts";

export const SHELL: typeof first.SHELL = {
  personal: "Persönlicher Arbeitsbereich",
  mainNavigation: "Hauptnavigation",
  rail: {
    search: "Suche",
    locations: "Standorte",
    cameras: "Kameras",
    reports: "Berichte",
    inbox: "Eingang",
    settings: "Optionen",
    admin: "Admin",
    reference: "API",
  },
  account: {
    open: (initials, name) => `${initials}, Konto von ${name}`,
    theme: "Darstellung",
    themes: { system: "System", light: "Hell", dark: "Dunkel" },
    password: "Das Passwort ändern",
    signOut: "Abmelden",
  },
  organization: "Organisation",
  opening: "Ihr Arbeitsbereich wird geöffnet…",
  openingFailed: "Ihre Organisationen konnten nicht gelesen werden",
  lost: "Diese Seite gibt es nicht",
  lostHelp: "Prüfen Sie die Adresse, oder gehen Sie zu Ihren Standorten.",
};
