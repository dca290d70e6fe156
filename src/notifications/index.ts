export { type Draft, draftOf } from "./draft";
export { expireNotifications } from "./expire";
export { readVisible } from "./inbox";
export type { NotificationDto } from "./present";
export { recordPage } from "./record";
