export { expireNotifications } from "./expire";
export { type NotificationDto, readVisible } from "./inbox";
export { inbox } from "./record";
