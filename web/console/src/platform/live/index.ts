export { startLive, unreadCount } from "./connection.ts";
export {
  deleteAt,
  gathered,
  type LiveEvent,
  listenedPlaces,
  onEvent,
  tell,
  untakenRevocations,
  useEvents,
  useFresh,
  useGathered,
  useSpaced,
} from "./events.ts";
export { ConnectionLine } from "./line.tsx";
