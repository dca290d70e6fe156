export { countVisible, type NotificationDto, readVisible } from "./inbox";
export { expireNotifications, inbox } from "./record";
