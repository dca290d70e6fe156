import type { LimitTable } from "../row";

export const hubLimits: LimitTable<typeof import("../../../src/hub/limits")> = {
  MAX_MESSAGE_BYTES: {
    page: ["Notifications and live delivery", "one message to the hub", "size"],
    held: ["hub/transports.test.ts > is closed with the limit in the error text after a message over 32 KiB"],
  },
  MAX_NEGOTIATION_AGE_MS: { held: ["hub/transports.test.ts"], open: true },
  MAX_POST_BYTES: {
    page: ["Notifications and live delivery", "one `POST` to the hub", "size"],
    held: "bounds",
  },
  MAX_HELD_CONNECTIONS: { held: "shown" },
  MAX_IN_FLIGHT_BYTES: {
    page: ["Notifications and live delivery", "bytes of a client that the hub has not answered", "size"],
    held: "bounds",
  },
  MAX_WAITING_BYTES: {
    page: ["Notifications and live delivery", "data that waits for a slow reader", "size"],
    held: ["hub/streams.test.ts"],
    open: true,
  },
  POLL_TIMEOUT_MS: { held: ["hub/streams.test.ts"], open: true },
  POLL_ABSENCE_MS: { held: ["hub/streams.test.ts"], open: true },
  RECORD_TIMEOUT_MS: {
    page: ["Notifications and live delivery", "time for a handshake, and for an incomplete message", "time"],
    held: ["hub/keep-alive.test.ts > a socket without a handshake in time gets an error and is closed"],
  },
  MAX_CONNECTIONS_PER_USER: {
    page: ["Notifications and live delivery", "connections of a user", "count"],
    held: ["hub/live.test.ts"],
    open: true,
  },
  PING_INTERVAL_MS: { held: ["hub/keep-alive.test.ts > an event stream gets pings"] },
  FIRST_PING_MS: { held: ["hub/keep-alive.test.ts"], open: true },
  MAX_SILENCE_MS: {
    page: ["Notifications and live delivery", "silence of a client that has sent pings", "time"],
    held: ["hub/keep-alive.test.ts"],
    open: true,
  },
  SOCKET_CHECK_INTERVAL_MS: { held: ["hub/keep-alive.test.ts"], open: true },
  MAX_SUBSCRIPTIONS: {
    page: ["Notifications and live delivery", "locations that one connection joins", "count"],
    held: ["hub/joins.test.ts > a connection at its limit is refused without a call, and the others join"],
  },
  MAX_BATCH_CONNECTIONS: { unheld: "It divides work into slices and changes no result." },
  MAX_BATCH_EVENTS: { held: ["hub/burst.test.ts"], open: true },
  KEYED_EVENTS_INTERVAL_MS: { held: ["cameras/live.test.ts"], open: true },
  MAX_LISTENERS: {
    page: ["Notifications and live delivery", "connections that join one location", "count"],
    held: ["hub/burst.test.ts > a location with the maximum of listeners refuses more, and serves them in pages"],
  },
  MAX_AUTHORIZED_AT_ONCE: { held: ["hub/burst.test.ts"], open: true },
  ARRIVAL_BATCH_DELAY_MS: { unheld: "It groups work and changes no result." },
  RECHECK_MEMORY_MS: { unheld: "A check that is remembered too short a time is repeated." },
  CLOCK_TOLERANCE_MS: { unheld: "It allows for clocks of different machines." },
  ACCESS_CHANGE_RETENTION_MS: {
    page: [
      "Notifications and live delivery",
      "memory of the hub for changes of access that a client asks about",
      "time",
    ],
    held: ["hub/live.test.ts"],
    open: true,
  },
};
