export { announceReport, contentSchema, placeOfReport, type ReportRow, reportPart, requireReport } from "./reports";
