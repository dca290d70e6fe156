import type * as first from "../en/locations.ts";
import { some } from "./language.ts";

export const LOCATIONS: typeof first.LOCATIONS = {
  title: "Sitios",
  count: (locations, clusters) => `${some(locations, "sitio", "sitios")} en ${some(clusters, "grupo", "grupos")}`,
  create: "Nuevo sitio",
  trash: "Papelera",
  none: (name) => `Todavía no hay sitios en ${name}`,
  noneHelp: "Un sitio es un lugar con sus documentos. Cree el primero.",
  noneReadOnly: "Aquí ve un sitio cuando alguien lo crea o lo comparte con usted.",
  emptyCluster: "No hay sitios en este grupo.",
  failed: "No se pudieron leer los sitios",
  loading: "Leyendo sus sitios…",
};

export const NEW_LOCATION: typeof first.NEW_LOCATION = {
  title: "Nuevo sitio",
  name: "Nombre",
  address: "Dirección (opcional)",
  cluster: "Grupo",
  newCluster: "Nuevo grupo…",
  clusterName: "Nombre del grupo nuevo",
  clusterHelp: "Un grupo reúne sitios.",
  send: "Crear el sitio",
  failed: "El sitio no se creó",
};

export const LOCATION: typeof first.LOCATION = {
  back: "Sitios",
  tabs: "Partes del sitio",
  cameras: "Cámaras",
  documents: "Documentos",
  reports: "Informes",
  people: "Personas",
  failed: "No se pudo abrir este sitio",
  gone: "No puede ver este sitio",
  goneHelp: "Se eliminó, o nadie lo comparte ya con usted.",
  revoked: (name) => `Ya no tiene acceso a ${name ?? "este sitio"}`,
  revokedHelp: (time) =>
    `Desde ${time} está eliminado, o nadie lo comparte ya con usted. La página está cerrada; sus propios documentos en otros lugares no cambian.`,
  overview: "Resumen",
  overviewFailed: "No se pudo leer el resumen",
  annotations: "Anotaciones",
  lately: "Últimamente",
  nothingLately: "Aquí no ha cambiado nada todavía. Añada documentos, cámaras, informes o anotaciones en sus pestañas.",
  annotationAdded: "se añadió",
  annotationChanged: "se cambió",
  facts: "Sobre el sitio",
  localTime: "Hora local",
  plan: (points) =>
    points === 0
      ? "Plano alrededor del sitio"
      : `Plano alrededor del sitio, con ${some(points, "anotación", "anotaciones")}`,
  north: "N",
  edit: "Editar",
  remove: "Eliminar",
  removeTitle: "¿Eliminar el sitio?",
  removeHelp: (name) =>
    `«${name}» va a la papelera con sus documentos, cámaras, informes y anotaciones. Puede restaurarlo desde allí durante algunas semanas.`,
  removeFailed: "El sitio no se eliminó",
  removed: (name) => `«${name}» está en la papelera.`,
  restored: (name) => `«${name}» ha vuelto.`,
  restoreFailed: "El sitio no se restauró",
  loading: "Abriendo el sitio…",
};

export const EDIT_LOCATION: typeof first.EDIT_LOCATION = {
  title: "Editar el sitio",
  name: "Nombre",
  address: "Dirección",
  description: "Descripción",
  latitude: "Latitud",
  longitude: "Longitud",
  timeZone: "Zona horaria",
  timeZoneHelp: "La usan las fechas de sus informes y las horas de sus cámaras.",
  noZone: "Sin definir (UTC)",
  send: "Guardar",
  failed: "El sitio no se cambió",
};
