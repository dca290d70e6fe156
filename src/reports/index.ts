export { reportPart } from "./drafts/tree";
export { LARGEST_REPORT_BODY } from "./limits";
export { printReport } from "./printing/jobs/print";
export { openPrinter } from "./printing/printer";
export { endReportRooms, openRooms, recheckRooms } from "./room/rooms";
