export { reportPart } from "./drafts/reports";
export { MAX_REPORT_BODY_BYTES } from "./limits";
export { printReport } from "./printing/jobs/print";
export { openPrinter } from "./printing/printer";
export { endReportRooms, openRooms, recheckRooms } from "./room/rooms";
