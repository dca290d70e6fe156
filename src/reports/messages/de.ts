import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  pdfReady: "Das PDF eines Berichts ist bereit",
  pdfFailed: "Aus einem Bericht konnte kein PDF erzeugt werden",
  because: (report, reason) => `${report}: ${reason}`,
};
