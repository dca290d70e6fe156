export { reportDeletion } from "./drafts";
export { reportMessages } from "./messages";
export { printReport } from "./printing/jobs/print";
export { openPrinter } from "./printing/printer";
export { endReportRooms, openRooms, reportRooms } from "./room";
export { templateDeletion } from "./templates";
