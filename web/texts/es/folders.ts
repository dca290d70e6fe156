import type * as first from "../en/folders.ts";
import { number, some } from "./language.ts";

export const FOLDERS: typeof first.FOLDERS = {
  title: "Carpetas",
  create: "Nueva carpeta",
  name: "Nombre",
  createHelp: "La carpeta se crea en la carpeta que ve.",
  createFailed: "La carpeta no se creó",
  created: (name) => `La carpeta «${name}» está lista.`,
  rename: (name) => `Cambiar el nombre de la carpeta ${name}`,
  renameFailed: "No se cambió el nombre de la carpeta",
  move: (name) => `Mover la carpeta ${name}`,
  moveSend: "Mover",
  into: "Moverla a la carpeta",
  intoHelp: "Por ejemplo «inspections/2026». Déjelo vacío para el primer nivel de la ubicación.",
  moveFailed: "La carpeta no se movió",
  moved: (name) => `La carpeta «${name}» se movió.`,
  movedTo: (name, location) => `La carpeta «${name}» está ahora en ${location}.`,
  remove: (name) => `Eliminar la carpeta ${name}`,
  removed: (name, documents) =>
    documents === 0
      ? `La carpeta «${name}» se eliminó.`
      : `La carpeta «${name}» se eliminó. ${some(documents, "documento está", "documentos están")} en la papelera.`,
  removeFailed: "La carpeta no se eliminó",
  undone: (name) => `La carpeta «${name}» está como antes.`,
  undoFailed: "No se deshizo el cambio",
  left: (count, reason) => `${some(count, "documento se queda", "documentos se quedan")}: ${reason}`,
  stopped: "El proceso terminó porque se eliminó la ubicación.",
  running: {
    move: (name) => `Se mueve la carpeta «${name}»`,
    delete: (name) => `Se elimina la carpeta «${name}»`,
    restore: (name) => `Se restaura la carpeta «${name}»`,
  },
  progress: (done, total) => `${number(done)} de ${some(total, "documento", "documentos")}`,
  failed: "No se pudieron leer las carpetas",
};
