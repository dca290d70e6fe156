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
};
