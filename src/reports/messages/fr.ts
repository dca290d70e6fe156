import type * as first from "./en";

export const MESSAGES: typeof first.MESSAGES = {
  pdfReady: "Le PDF d’un rapport est prêt",
  pdfFailed: "Un rapport n’a pas pu devenir un PDF",
  because: (report, reason) => `${report} : ${reason}`,
};
