export { announce, type Subscriber } from "./announce";
export {
  type Audience,
  type EventOf,
  type Message,
  type Messages,
  type MessagesOf,
  NOTIFICATION_TYPES,
  NOWHERE,
  type NotificationType,
  ORIGIN_TYPES,
  type OriginType,
  SEVERITIES,
} from "./messages";
export { isWanted, noteWanted } from "./wanted";
