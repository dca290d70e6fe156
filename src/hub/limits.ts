import { DAY, MINUTE, SECOND } from "../platform/time";

/* Messages */

/** Largest message that a client may send, bytes, its framing included: the default limit of ASP.NET Core. */
export const MAX_MESSAGE_BYTES = 32 * 1024;
/** A connection must start within this time after its negotiation. */
export const MAX_NEGOTIATION_AGE_MS = MINUTE;
/** Bytes of one POST, which may hold several messages: all connections share the object's memory. */
export const MAX_POST_BYTES = 4 * MAX_MESSAGE_BYTES;
/** Connections of one user that may have early posts at the same time. */
export const MAX_HELD_CONNECTIONS = 10;
/** Unanswered bytes of one client: enough for hundreds of joins at once, and too few for a flood. */
export const MAX_IN_FLIGHT_BYTES = 256 * 1024;
/** Bytes that may wait for a slow reader before its connection ends. */
export const MAX_WAITING_BYTES = 1024 * 1024;
/** Time that one poll waits, and time without a poll after which the client counts as disconnected. */
export const POLL_TIMEOUT_MS = 90 * SECOND;
export const POLL_ABSENCE_MS = 15 * SECOND;

/* Connections */

/** Time for a connection's handshake, and to complete a record that it started. */
export const RECORD_TIMEOUT_MS = 15 * SECOND;
/** Open connections of one user: enough for devices and tabs, and no user can fill a shard. */
export const MAX_CONNECTIONS_PER_USER = 100;
/** Time between two pings of the hub to clients that may not ping by themselves. */
export const PING_INTERVAL_MS = 15 * SECOND;
/** Time within which a client that pings by itself has sent its first ping. */
export const FIRST_PING_MS = 20 * SECOND;
/** A client that pings counts as disconnected after this silence. Background pages may ping only once a minute. */
export const MAX_SILENCE_MS = 3 * MINUTE;
/** Time between two checks of the sockets. It is long, because a check wakes the object. */
export const SOCKET_CHECK_INTERVAL_MS = 5 * MINUTE;

/* Locations */

/** Locations that one connection may have joined at the same time. */
export const MAX_SUBSCRIPTIONS = 200;
/**
 * Connections of this shard that one call adds to a location or removes from it, or whose credentials one query reads.
 */
export const MAX_BATCH_CONNECTIONS = 1_000;
/** Events sent in one frame. Events that arrive meanwhile form the next batch. */
export const MAX_BATCH_EVENTS = 100;
/** Time between two sendings of a location's events that have a key: a burst of images is a few events. */
export const KEYED_EVENTS_INTERVAL_MS = SECOND;
/** Connections that may listen to one location. Others are refused until some leave. */
export const MAX_LISTENERS = 20_000;
/** Connections that one query authorizes: their ids are a parameter of about 200 KB. */
export const MAX_AUTHORIZED_AT_ONCE = 5_000;
/**
 * Time that connections that arrive during a running batch wait for others, to share queries and transactions. A single
 * connection never waits. On a busy thread the delay is longer and more of them share.
 */
export const ARRIVAL_BATCH_DELAY_MS = 5;
/** Time that a shard remembers a check of a connection: longer than the delivery of a frame. */
export const RECHECK_MEMORY_MS = MINUTE;
/**
 * Time that a shard remembers that a user's access became smaller. A page that is older reads again when it connects.
 */
export const ACCESS_CHANGE_RETENTION_MS = DAY;
/** Pause before a location sends the events that a shard did not receive again, doubled after each try. A new event of the location ends it. */
export const DELIVERY_RETRY_MS = 2 * SECOND;
/** The longest of these pauses. */
export const MAX_DELIVERY_RETRY_MS = MINUTE;
/** Connections that a shard remembers as joined to a location, over all locations: an event asks for the same ones again. */
export const MAX_REMEMBERED_JOINS = 20_000;
/** Largest difference between the clocks of a shard and a location. */
export const CLOCK_TOLERANCE_MS = 2 * SECOND;

/* Replay */

/** Time that a location keeps its events, and that it goes on keeping them after its last listener has left. */
export const EVENT_RETENTION_MS = 10 * MINUTE;
/** Events that a location keeps, and the bytes of them all. A client that missed more reads again. */
export const MAX_KEPT_EVENTS = 1_000;
export const MAX_KEPT_BYTES = 512 * 1024;
/** Bytes that one user's connections are replayed in a minute. After that they read again instead. */
export const MAX_REPLAYED_BYTES_PER_MINUTE = 2 * 1024 * 1024;
/** Replays of one user that run at the same time: each may exceed the bytes of the minute. */
export const MAX_REPLAYS_AT_ONCE = 8;
/** Connections whose replays are planned before other work has its turn. */
export const MAX_PLANNED_AT_ONCE = 100;

/* Changes for programs without a connection */

/** Time that a location keeps its changes after a program has asked for them, and age of the oldest change. */
export const CHANGE_RETENTION_MS = 30 * DAY;
/** Changes that a location keeps: the last event of each kind for each subject. A program that missed more reads again. */
export const MAX_KEPT_CHANGES = 10_000;
/** Changes whose access one request checks. */
export const MAX_CHANGES_READ = 1_000;
