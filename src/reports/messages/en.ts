/** The notifications about reports. */
export const MESSAGES = {
  pdfReady: "The PDF of a report is ready",
  pdfFailed: "A report could not be made into a PDF",
  because: (report: string, reason: string) => `${report}: ${reason}`,
};
