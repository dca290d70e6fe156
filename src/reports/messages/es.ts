import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  pdfReady: "El PDF de un informe está listo",
  pdfFailed: "No se pudo crear el PDF de un informe",
  because: (report, reason) => `${report}: ${reason}`,
};
