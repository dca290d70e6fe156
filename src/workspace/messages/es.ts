import { dateFormat, list, number, percent, sizeOf, some } from "../../platform/languages/es";
import type * as first from "./en";

const day = dateFormat({ day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

export const MESSAGES: typeof first.MESSAGES = {
  memberNow: "Ya es miembro",
  shared: {
    organization: "Se compartió una organización con usted",
    cluster: "Se compartió un grupo con usted",
    location: "Se compartió un sitio con usted",
    document: "Se compartió un documento con usted",
  },
  sharedDocuments: (count) => `${some(count, "documento se ha compartido", "documentos se han compartido")} con usted`,
  documentNames: (names, more) => list(more === 0 ? names : [...names, some(more, "documento más", "documentos más")]),
  storageFull: "El almacenamiento está lleno",
  storageUsed: (hundredths) => `${percent(hundredths / 100)} del almacenamiento está en uso`,
  personalWorkspace: "Espacio personal",
  invitation: (organization, days, link) => ({
    subject: `Invitación a ${organization}`,
    text: `Está invitado a ${organization}.\n\nAbra este enlace antes de ${some(days, "día", "días")} para unirse:\n${link}\n`,
  }),
  sharesThing: { cluster: "un grupo", location: "un sitio", document: "un documento" },
  shareInvitation: (organization, thing, until, link) => ({
    subject: `${organization} comparte ${thing} con usted`,
    text: `${organization} comparte ${thing} con usted.\n\nAbra este enlace hasta el ${day(until)}. Inicie sesión o regístrese con esta dirección:\n${link}\n\nSi no espera este mensaje, ignórelo.\n`,
  }),
  organizationDeleted: "Una organización está eliminada",
  organizationRemoved: "Una organización está quitada",
  restorable: (name, until) => `${name}. Sus propietarios pueden restaurarla hasta el ${day(until)}.`,
  beingRemoved: (name) => `${name}. Su contenido se está quitando.`,
  deletedMail: (name, by, until, link) => ({
    subject: `${name} está eliminada`,
    text: `${name} fue eliminada${by === null ? "" : ` por ${by}`}. Ya nadie la encuentra, y sus cámaras y enlaces compartidos se han detenido.

${until === null ? "Su contenido se está quitando. Nada la recupera." : `Cada propietario puede restaurarla hasta el ${day(until)}:\n${link}`}
`,
  }),
  removedKinds: {
    members: "Miembros",
    clusters: "Grupos",
    locations: "Sitios",
    documents: "Documentos",
    documentVersions: "Versiones de documentos",
    annotations: "Anotaciones",
    reports: "Informes",
    reportTemplates: "Plantillas de informe",
    cameras: "Cámaras",
    images: "Imágenes de cámaras",
    shareLinks: "Enlaces compartidos",
    grants: "Permisos",
    invitations: "Invitaciones",
    brandingFiles: "Archivos de la imagen de marca",
  },
  removedLine: (kind, count, bytes) => `- ${kind}: ${number(count)}${bytes === null ? "" : ` (${sizeOf(bytes)})`}`,
  removedMail: (name, at, contents, link) => ({
    subject: `${name} está quitada`,
    text: `Todo el contenido de ${name} se quitó el ${day(at)}. Esto es lo que había:\n\n${contents}\n\nEl recibo también se guarda aquí:\n${link}\n`,
  }),
};
