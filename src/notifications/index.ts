export { type Draft, draftOf } from "./drafts";
export { type NotificationDto, readVisible } from "./inbox";
export { expireNotifications, recordPage } from "./record";
