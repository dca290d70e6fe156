import type { HubConnection } from "@microsoft/signalr";
import { effect, signal } from "@preact/signals";
import { dataOf, LiveLocations } from "../../../../../client/src/index.ts";
import { api, client, session } from "../session.ts";
import { gathered, type LiveEvent, listenedPlaces, onEvent, tell } from "./events.ts";

/*
 * The live connection of this tab. It starts after the first view is shown, and is tried again until the person signs
 * out. After a lost connection, the service no longer knows the joined locations.
 */

/** Waits before a lost connection is tried again. The last wait repeats. */
const WAITS_MS = [0, 1_000, 2_000, 5_000, 10_000, 30_000];
/** A question to the service that takes longer is asked again, because its answer may be about a later time. */
const MAX_PASSAGE_MS = 1_000;
/** The first connection waits until the browser is idle, at most for this time. */
const MAX_IDLE_WAIT_MS = 2_000;

/** The time since which there is no connection; null while connected, and before the first connection. */
export const lostSince = signal<Date | null>(null);
/** The time of the next try; null during a try, and without a network. */
export const nextTry = signal<Date | null>(null);
/** Unread notifications. */
export const unreadCount = signal(0);

/** The joins of a person, which continue after a lost connection with the events that were missed. */
const newJoins = () =>
  new LiveLocations(client, {
    onEvent: (kind, locationId, payload) => tell({ kind, locationId, ...payload } as LiveEvent),
    // Changes before the join were not sent.
    onReload: (locationId) => tell({ kind: "Stale", locationId }),
    // If access ended before the join, the view finds out when it reads again.
    onRefused: (locationId) => tell({ kind: "Stale", locationId }),
    onRevoked: (locationId) => tell({ kind: "SubscriptionRevoked", locationId }),
    // A notification that was missed has no count. The count was read when the connection began.
    onNotification: (notification) =>
      tell({ kind: "NotificationReceived", notification: { unreadCount: unreadCount.peek(), ...notification } }),
  });
let live = newJoins();

/** Joins the locations that have listeners now, and leaves the others. */
const joinPlaces = () => live.want(listenedPlaces.peek()).catch(() => undefined);

/** The time from which on the service has told this page when access became smaller, by the clock of this machine. */
let watchedSince = Date.now();

/**
 * Asks the service to tell when access ends. This includes an end after the page began to read and before it was
 * connected.
 */
async function watchAccess(hub: HubConnection): Promise<void> {
  let askedAt: number;
  do {
    askedAt = Date.now();
    // A clock that was set back must not hide a change.
    await hub.invoke("WatchAccess", Math.max(askedAt - watchedSince, 0));
  } while (Date.now() - askedAt > MAX_PASSAGE_MS);
  watchedSince = askedAt;
}

let joining: ReturnType<typeof setTimeout> | undefined;
listenedPlaces.subscribe(() => {
  clearTimeout(joining);
  joining = setTimeout(joinPlaces);
});

/** Connects, and returns when the connection ends. @returns Whether there was a connection. */
async function connectOnce(stop: AbortSignal, again: boolean): Promise<boolean> {
  const { HubConnectionBuilder, LogLevel } = await import("@microsoft/signalr");
  const { hubPath, unreadCount: count } = await dataOf(api.GET("/v1/notifications/bootstrap"));
  if (stop.aborted) return false;
  unreadCount.value = count;
  const hub = new HubConnectionBuilder()
    .withUrl(hubPath, { accessTokenFactory: async () => (await client.accessToken()) ?? "" })
    .configureLogging(LogLevel.None)
    .build();
  const closed = new Promise<void>((done) => hub.onclose(() => done()));
  const end = () => void hub.stop();
  stop.addEventListener("abort", end);
  addEventListener("offline", end);
  live.attach(hub);
  hub.on("AccessChanged", () => tell({ kind: "AccessChanged" }));
  try {
    await hub.start();
    const mayMiss = again || lostSince.peek() !== null;
    lostSince.value = null;
    if (mayMiss) tell({ kind: "Stale", locationId: null });
    await live.want(listenedPlaces.peek());
    // Views that show a location find out when it is refused, and the inbox is read again.
    await Promise.all([live.connected(hub).catch(() => undefined), watchAccess(hub)]);
    await closed;
    return true;
  } finally {
    live.disconnected();
    // A connection that cannot tell when access ends is of no use.
    end();
    removeEventListener("offline", end);
    stop.removeEventListener("abort", end);
  }
}

let wake = (): void => undefined;
/** Tries to connect now. */
export const tryNow = (): void => wake();
addEventListener("online", tryNow);
addEventListener("offline", () => {
  lostSince.value ??= new Date();
});

/** Waits for the next try: for a time, or without a network until there is one. */
function pause(waitMs: number, stop: AbortSignal): Promise<void> {
  return new Promise((done) => {
    const timer = navigator.onLine ? setTimeout(done, waitMs) : undefined;
    nextTry.value = navigator.onLine && waitMs > 0 ? new Date(Date.now() + waitMs) : null;
    wake = () => {
      clearTimeout(timer);
      done();
    };
    stop.addEventListener("abort", wake, { once: true });
  });
}

async function keepConnected(stop: AbortSignal): Promise<void> {
  let [failures, again] = [0, false];
  while (!stop.aborted) {
    const wasConnected = await connectOnce(stop, again).catch(() => false);
    if (stop.aborted) return;
    again ||= wasConnected;
    failures = wasConnected ? 0 : failures + 1;
    // A connection that ended is often restored at once, for example when its token expired.
    if (failures > 0) lostSince.value ??= new Date();
    await pause(WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] ?? 0, stop);
    nextTry.value = null;
  }
}

const countAgain = gathered(() => {
  dataOf(api.GET("/v1/notifications/unread-count")).then(
    ({ unreadCount: count }) => {
      unreadCount.value = count;
    },
    () => undefined,
  );
});

/** Connects to the hub while a person is signed in. */
export function startLive(): void {
  onEvent(["AccessChanged"], [], countAgain);
  onEvent(["NotificationReceived"], [], ({ notification }) => {
    unreadCount.value = notification.unreadCount;
  });
  let connectedFor: string | null = null;
  let stop = new AbortController();
  effect(() => {
    const userId = session.value?.user.id ?? null;
    if (userId === connectedFor) return;
    connectedFor = userId;
    watchedSince = Date.now();
    live = newJoins();
    stop.abort();
    lostSince.value = null;
    unreadCount.value = 0;
    if (userId === null) return;
    stop = new AbortController();
    const { signal: stopped } = stop;
    const begin = () => void keepConnected(stopped);
    if ("requestIdleCallback" in window) requestIdleCallback(begin, { timeout: MAX_IDLE_WAIT_MS });
    else setTimeout(begin, MAX_IDLE_WAIT_MS);
  });
}
