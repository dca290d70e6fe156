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
  offline: "Sin conexión. Continúa por sí sola.",
  paused: "En pausa",
  pause: (name) => `Pausar la subida de ${name}`,
  goOn: (name) => `Continuar la subida de ${name}`,
  tryNow: (name) => `Intentar ahora la subida de ${name}`,
  unfinished: "Subidas sin terminar",
  left: (sent, total) => `${sent} de ${total} ya están aquí.`,
  chooseAgain: "Elija el mismo archivo para continuar",
  cancel: (name) => `Cancelar la subida de ${name}`,
  retry: (name) => `Subir ${name} de nuevo`,
  progress: (name) => `Subida de ${name}`,
  clear: "Vaciar la lista",
  cancelAll: "Cancelar todo",
  tooLarge: "El archivo tiene más de 2 GiB.",
  unreadable: "El navegador no puede leer este archivo. Quizá cambió: elíjalo de nuevo.",
};
