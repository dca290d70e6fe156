export { startLive, unreadCount } from "./connection.ts";
export {
  deleteAt,
  type LiveEvent,
  type LiveKind,
  onEvent,
  useEvents,
  useFresh,
  useGathered,
  useSpaced,
} from "./events.ts";
export { ConnectionLine } from "./line.tsx";
