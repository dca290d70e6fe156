import type * as first from "../en/uploads.ts";
import { some } from "./language.ts";

export const UPLOADS: typeof first.UPLOADS = {
  title: "Subidas",
  summary: (done, all) => `${done} de ${some(all, "archivo subido", "archivos subidos")}`,
  failedSome: (failed) => `${some(failed, "archivo sin subir", "archivos sin subir")}`,
  waiting: "En espera",
  checking: "Calculando la suma de comprobación",
  sending: (sent, total) => `${sent} de ${total}`,
  finishing: "Comprobando",
  done: "Subido",
  cancelled: "Cancelado",
  cancel: (name) => `Cancelar la subida de ${name}`,
  retry: (name) => `Subir ${name} de nuevo`,
  progress: (name) => `Subida de ${name}`,
  clear: "Vaciar la lista",
  cancelAll: "Cancelar todo",
  tooLarge: "El archivo tiene más de 100 MiB.",
  unreadable: "El navegador no puede leer este archivo. Quizá cambió: elíjalo de nuevo.",
};
