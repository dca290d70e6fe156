import type * as first from "../en/trash.ts";
import { some } from "./language.ts";

export const TRASH: typeof first.TRASH = {
  title: "Papelera",
  lead: (name) =>
    `Documentos, sitios, grupos, informes y plantillas eliminados de ${name}. Se quitan cuando termina su plazo.`,
  show: "Mostrar",
  kinds: {
    all: "Todo",
    document: "Documentos",
    location: "Sitios",
    cluster: "Grupos",
    report: "Informes",
    "report-template": "Plantillas",
  },
  kind: {
    document: "Documento",
    location: "Sitio",
    cluster: "Grupo",
    report: "Informe",
    "report-template": "Plantilla",
  },
  left: (days) =>
    days < 1 ? "queda menos de un día" : `${days === 1 ? "queda" : "quedan"} ${some(days, "día", "días")}`,
  deleted: (time, by) => (by === null ? `eliminado ${time}` : `eliminado ${time} por ${by}`),
  restore: "Restaurar",
  restoreOne: (name) => `Restaurar ${name}`,
  restored: (name) => `«${name}» ha vuelto.`,
  restoreFailed: "No se restauró",
  purge: (name) => `Eliminar ${name} ahora y para siempre`,
  purgeTitle: "¿Eliminar para siempre?",
  purgeHelp: (name) => `«${name}» y todo lo que contiene se quita ahora. No se puede deshacer.`,
  purgeSend: "Eliminar para siempre",
  purgeFailed: "No se quitó",
  none: "La papelera está vacía",
  noneHelp: "Lo que elimina se queda aquí algunas semanas, para que pueda recuperarlo.",
  failed: "No se pudo leer la papelera",
  loading: "Leyendo la papelera…",
};
