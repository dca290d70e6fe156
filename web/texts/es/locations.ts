import type * as first from "../en/locations.ts";
import { number, some } from "./language.ts";

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

export const MAP: typeof first.MAP = {
  label: "Mapa de los sitios. Las flechas lo mueven, más y menos cambian la escala.",
  list: "Sitios en el mapa",
  forms: "Forma de la página",
  asList: "Lista",
  asMap: "Mapa",
  closer: "Acercar",
  further: "Alejar",
  all: "Mostrar todos los sitios",
  cluster: (locations, troubled) =>
    troubled === 0
      ? some(locations, "sitio", "sitios")
      : `${some(locations, "sitio", "sitios")}, ${number(troubled)} con cámaras calladas`,
  shown: (locations) => `${some(locations, "sitio", "sitios")} en esta parte del mapa`,
  silent: (cameras) => some(cameras, "cámara callada", "cámaras calladas"),
  cameras: (cameras) => some(cameras, "cámara", "cámaras"),
  unread: (notes) => `${number(notes)} sin leer`,
  calm: "Nada nuevo",
  unplaced: "Sin lugar en el mapa",
  unplacedHelp: "Dé a un sitio su latitud y su longitud con «Editar» en su página.",
  none: "Ningún sitio está en esta parte del mapa.",
  stateFailed: "No se pudo leer el estado de los sitios",
  first: (locations) => `El mapa muestra los primeros ${number(locations)} sitios.`,
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
  latest: "Últimas imágenes",
  onMap: "Mostrar en el mapa de todos los sitios",
  allCameras: (cameras) => (cameras === 1 ? "La cámara" : `Las ${number(cameras)} cámaras`),
  somebody: "Alguien",
  happened: {
    document: (who) => [`${who} añadió `, "."],
    version: (version) => ["", ` tiene la versión ${number(version)}.`],
    annotation: () => ["La anotación ", " se añadió."],
    annotationChanged: () => ["La anotación ", " se cambió."],
    report: () => ["El informe ", " se empezó."],
    reportChanged: () => ["El informe ", " se cambió."],
    silent: () => ["", " se ha callado."],
  },
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

export const SHARED: typeof first.SHARED = {
  title: "Añadir los archivos compartidos",
  help: (files) => `${some(files, "archivo", "archivos")} de este dispositivo. Elija el sitio que los recibe.`,
  location: "Sitio",
  send: "Añadir aquí",
  none: "No ha llegado ningún archivo. Compártalo otra vez desde la otra aplicación.",
  failed: "Los archivos no se añadieron",
  nowhere: "No puede añadir documentos a ningún sitio de este espacio.",
};
