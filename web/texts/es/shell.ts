import type * as first from "../en/shell.ts";

export const SHELL: typeof first.SHELL = {
  personal: "Espacio personal",
  mainNavigation: "Navegación principal",
  rail: {
    search: "Buscar",
    locations: "Sitios",
    cameras: "Cámaras",
    reports: "Informes",
    inbox: "Avisos",
    settings: "Ajustes",
    admin: "Admin",
    reference: "API",
  },
  account: {
    open: (initials, name) => `${initials}, cuenta de ${name}`,
    theme: "Apariencia",
    themes: { system: "Sistema", light: "Claro", dark: "Oscuro" },
    password: "Cambiar la contraseña",
    signOut: "Cerrar sesión",
  },
  organization: "Organización",
  opening: "Abriendo su espacio…",
  openingFailed: "No se pudieron leer sus organizaciones",
  lost: "Esta página no existe",
  lostHelp: "Compruebe la dirección, o continúe desde sus sitios.",
};
