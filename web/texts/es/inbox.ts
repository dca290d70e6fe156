import type * as first from "../en/inbox.ts";
import { number } from "./language.ts";

export const INBOX: typeof first.INBOX = {
  title: "Notificaciones",
  bell: (unread) => (unread === 0 ? "Notificaciones" : `Notificaciones, ${number(unread)} sin leer`),
  unreadCount: (unread) => `${number(unread)} sin leer`,
  markAll: "Marcar todas como leídas",
  marked: "Todas las notificaciones están leídas.",
  markFailed: "Las notificaciones no se marcaron",
  show: "Mostrar",
  all: "Todas",
  unread: "Sin leer",
  isUnread: "sin leer",
  days: { today: "Hoy", yesterday: "Ayer", earlier: "Antes" },
  none: "Todavía no ha pasado nada",
  noneHelp:
    "Aquí lee cuándo se añade un documento, una cámara está callada, un informe está listo o alguien comparte un lugar con usted.",
  noneUnread: "Lo ha leído todo",
  noneUnreadHelp: "Las notificaciones nuevas aparecen aquí solas.",
  showAll: "Mostrar todas",
  failed: "No se pudieron leer las notificaciones",
  loading: "Leyendo sus notificaciones…",
  choose: "Elegir notificaciones",
};

export const PREFERENCES: typeof first.PREFERENCES = {
  title: "Notificaciones",
  lead: "Elija lo que le dicen sus notificaciones. Solo le concierne a usted.",
  failed: "No se pudieron leer sus elecciones",
  loading: "Leyendo sus elecciones…",
  saveFailed: "Su elección no se guardó",
  saved: "Su elección está guardada.",
  groups: { work: "Documentos, informes y accesos compartidos", cameras: "Cámaras", storage: "Almacenamiento" },
  types: {
    "document-uploaded": "Se añade un documento",
    "membership-given": "Usted se hace miembro de una organización",
    "grant-given": "Alguien comparte algo con usted",
    "report-pdf-ready": "El PDF de un informe está listo",
    "report-pdf-failed": "No se pudo crear el PDF de un informe",
    "storage-low": "El almacenamiento está casi lleno",
    "storage-full": "El almacenamiento está lleno",
    "export-ready": "Una exportación está lista",
    "capture-rejected": "Se rechaza una imagen de una cámara",
    "camera-silent": "Una cámara se calla",
    "camera-back": "Una cámara vuelve a enviar imágenes",
    "organization-deleted": "Se elimina una de sus organizaciones",
    "organization-removed": "Se quita el contenido de una de sus organizaciones eliminadas",
  },
};
