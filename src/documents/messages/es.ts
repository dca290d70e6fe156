import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  added: "Se añadió un documento",
  newVersion: "Un documento tiene una versión nueva",
  arrived: (attachments) =>
    attachments === 0
      ? "Llegó un correo"
      : `Llegó un correo con ${attachments} ${attachments === 1 ? "archivo adjunto" : "archivos adjuntos"}`,
};

export const ARRIVALS: typeof first.ARRIVALS = {
  subject: (subject) => `Su correo no se añadió: ${subject}`,
  begin: (subject) => `Su correo «${subject}» no se añadió a los documentos.`,
  again: "Corríjalo y envíe el correo de nuevo. Un programa escribió esta respuesta.",
  whole: "Sus archivos adjuntos no se pudieron leer por separado. Están en el correo.",
  reasons: {
    "sender-unverified": () =>
      "No se pudo comprobar su remitente: el correo no pasó la comprobación que pide su dominio (DMARC o SPF).",
    "sender-not-allowed": () => "Su remitente no puede enviar documentos a esta dirección.",
    "person-left": () =>
      "La persona que creó esta dirección ya no puede añadir documentos allí. Pregunte a las personas que gestionan la ubicación.",
    "too-large": (size) => `Supera ${size}, el límite de esta dirección.`,
    unreadable: () => "No se pudo leer como correo.",
    "kind-not-allowed": (named) => `Esta dirección no acepta archivos como «${named}».`,
    "too-many-attachments": (count) => `Tiene más de ${count} archivos adjuntos.`,
    "storage-full": () => "El almacenamiento está lleno.",
    "location-deleted": () => "La ubicación se eliminó.",
  },
};
