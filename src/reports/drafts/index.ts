export { announceReport, contentSchema, placeOfReport, type ReportRow, reportDeletion, requireReport } from "./reports";
