import { BOUNDS_WORK, DIVIDES_WORK, type LimitTable } from "../row.ts";

export const hubLimits: LimitTable<typeof import("../../../src/hub/limits")> = {
  MAX_MESSAGE_BYTES: {
    page: "size | Notifications and live delivery | one message to the hub",
    held: "hub/transports.test.ts > is closed with the limit in the error text after a message over 32 KiB",
  },
  MAX_NEGOTIATION_AGE_MS: { held: "hub" },
  MAX_POST_BYTES: { page: "size | Notifications and live delivery | one `POST` to the hub", held: ["bounds", "hub"] },
  MAX_HELD_CONNECTIONS: { held: "shown" },
  MAX_IN_FLIGHT_BYTES: {
    page: "size | Notifications and live delivery | bytes of a client that the hub has not answered",
    held: "bounds",
  },
  MAX_WAITING_BYTES: {
    page: "size | Notifications and live delivery | data that waits for a slow reader",
    held: "bounds",
  },
  POLL_TIMEOUT_MS: {
    held: "effects > a poll that hears nothing ends in time, and a client that does not poll again is gone",
  },
  POLL_ABSENCE_MS: {
    held: "effects > a poll that hears nothing ends in time, and a client that does not poll again is gone",
  },
  RECORD_TIMEOUT_MS: {
    page: "time | Notifications and live delivery | time for a handshake, and for an incomplete message",
    held: "hub",
  },
  MAX_CONNECTIONS_PER_USER: {
    page: "count | Notifications and live delivery | connections of a user",
    held: "hub/live.test.ts > one user can open a limited number of connections, and other users are not affected",
  },
  PING_INTERVAL_MS: {
    held: ["hub > PING_INTERVAL_MS", "hub > FIRST_PING_MS, PING_INTERVAL_MS and SOCKET_CHECK_INTERVAL_MS"],
  },
  FIRST_PING_MS: { held: "hub > FIRST_PING_MS, PING_INTERVAL_MS and SOCKET_CHECK_INTERVAL_MS" },
  MAX_SILENCE_MS: {
    page: "time | Notifications and live delivery | silence of a client that has sent pings",
    held: "hub",
  },
  SOCKET_CHECK_INTERVAL_MS: { held: "hub > FIRST_PING_MS, PING_INTERVAL_MS and SOCKET_CHECK_INTERVAL_MS" },
  MAX_SUBSCRIPTIONS: {
    page: "count | Notifications and live delivery | locations that one connection joins",
    held: "hub/joins.test.ts > a connection at its limit is refused without a call, and the others join",
  },
  MAX_BATCH_CONNECTIONS: DIVIDES_WORK,
  MAX_BATCH_EVENTS: { held: "hub" },
  KEYED_EVENTS_INTERVAL_MS: { held: "hub" },
  MAX_LISTENERS: { page: "count | Notifications and live delivery | connections that join one location", held: "hub" },
  MAX_AUTHORIZED_AT_ONCE: { held: "hub" },
  ARRIVAL_BATCH_DELAY_MS: { unheld: "It groups work and changes no result." },
  MAX_REMEMBERED_JOINS: { unheld: "A join that is not remembered is read again." },
  RECHECK_MEMORY_MS: { unheld: "A check that is remembered too short a time is repeated." },
  DELIVERY_RETRY_MS: { held: "hub/undelivered.test.ts" },
  MAX_DELIVERY_RETRY_MS: { held: "hub/undelivered.test.ts" },
  CLOCK_TOLERANCE_MS: { unheld: "It allows for clocks of different machines." },
  EVENT_RETENTION_MS: {
    page: "time | Notifications and live delivery | time that a location keeps its events for a replay",
    held: "hub/replay.test.ts",
  },
  MAX_KEPT_EVENTS: {
    page: "count | Notifications and live delivery | events that a location keeps for a replay",
    held: "hub/replay.test.ts > MAX_KEPT_EVENTS: when it missed more events",
  },
  MAX_KEPT_BYTES: {
    page: "size | Notifications and live delivery | the kept events of a location together",
    held: "hub/replay.test.ts > MAX_KEPT_BYTES: when it missed larger events",
    coarse: true,
  },
  MAX_REPLAYED_BYTES_PER_MINUTE: {
    page: "size | Notifications and live delivery | events that the connections of a user are replayed in a minute",
    held: "hub/replay.test.ts > MAX_REPLAYED_BYTES_PER_MINUTE: when its person was replayed too much",
    coarse: true,
  },
  MAX_REPLAYS_AT_ONCE: BOUNDS_WORK,
  CHANGE_RETENTION_MS: {
    page: "time | Notifications and live delivery | time that a location keeps its changes for a program that asks",
    held: "hub/changes.test.ts",
  },
  MAX_KEPT_CHANGES: {
    page: "count | Notifications and live delivery | changes that a location keeps for programs",
    held: "hub/changes.test.ts > MAX_KEPT_CHANGES: the oldest changes end first, and a position before them reads again",
  },
  MAX_CHANGES_READ: DIVIDES_WORK,
  MAX_PLANNED_AT_ONCE: DIVIDES_WORK,
  ACCESS_CHANGE_RETENTION_MS: {
    page: "time | Notifications and live delivery | memory of the hub for changes of access that a client asks about",
    held: "hub",
  },
};
