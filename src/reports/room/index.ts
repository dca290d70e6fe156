export { endReportRooms, endRoomsOf, openRooms, reportRooms } from "./rooms";
