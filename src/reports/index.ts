export { reportDeletion } from "./drafts";
export { MAX_REPORT_BODY_BYTES } from "./limits";
export { reportMessages } from "./messages";
export { printReport } from "./printing/jobs/print";
export { openPrinter } from "./printing/printer";
export { endReportRooms, openRooms, reportRooms } from "./room";
