export { reportDeletion } from "./deletion";
export { announceReport, contentSchema, placeOfReport, type ReportRow, reportExists, requireReport } from "./reports";
