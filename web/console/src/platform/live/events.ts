import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Annotation, NotificationDto } from "../../../../../client/src/index.ts";

/** The events that the service sends, and `Stale`, which says that events may have been missed. */
interface LiveEvents {
  NotificationReceived: { notification: NotificationDto & { unreadCount: number } };
  DocumentUploaded: { locationId: string; documentId: string; fileName: string; path: string; version: number };
  StateUpdated: {
    locationId: string;
    subject: { type: "location" | "annotation" | "document" | "folder" | "camera" | "report"; id: string };
    action: "created" | "updated" | "deleted";
    revision: number | null;
  };
  PositionChanged: {
    locationId: string;
    annotationId: string;
    position: Annotation["position"];
    revision: number;
  };
  /**
   * A camera image is published. If a camera sends several images within a second, only the first and the last image
   * send an event.
   */
  CapturePublished: { locationId: string; cameraId: string; capturedAtUtc: string };
  /** The person may no longer see the location. */
  SubscriptionRevoked: { locationId: string };
  /** The access of the person may have become smaller, at any place. */
  AccessChanged: object;
  /**
   * Events may have been missed: read again. `locationId` is null after a lost connection, which affects every
   * location.
   */
  Stale: { locationId: string | null };
}

export type LiveKind = keyof LiveEvents;
type AnyEvent = { [One in LiveKind]: { kind: One } & LiveEvents[One] }[LiveKind];
export type LiveEvent<K extends LiveKind = LiveKind> = Extract<AnyEvent, { kind: K }>;

interface Listener {
  places: readonly string[];
  /** Returns whether it wants events of this kind. */
  hear: (event: LiveEvent) => boolean;
}

const listeners = new Set<Listener>();
/** The locations that have listeners. */
export const listenedPlaces = signal<ReadonlySet<string>>(new Set());

function listen(): void {
  listenedPlaces.value = new Set([...listeners].flatMap(({ places }) => places));
}

/**
 * Calls the handler for each event of these kinds.
 * @param places Locations whose events are wanted. Notifications belong to no location.
 * @returns A function that ends this.
 */
export function onEvent<K extends LiveKind>(
  kinds: readonly K[],
  places: readonly string[],
  handler: (event: LiveEvent<K>) => void,
): () => void {
  const wanted = (event: LiveEvent): event is LiveEvent<K> => (kinds as readonly LiveKind[]).includes(event.kind);
  const hear = (event: LiveEvent): boolean => {
    const isWanted = wanted(event);
    if (isWanted) handler(event);
    return isWanted;
  };
  const listener = { places, hear };
  listeners.add(listener);
  listen();
  return () => {
    listeners.delete(listener);
    listen();
  };
}

/** Locations where the person is deleting something, each with the number of deletions. */
const deleting = new Map<string, number>();

/**
 * Runs a deletion by the person. Its events can arrive before its answer, and its pages would read what is gone. So
 * the events of the location are not passed on meanwhile; after a failure, its pages read again.
 */
export async function deleteAt<T>(locationId: string, run: () => Promise<T>): Promise<T> {
  const count = (change: number) => {
    const next = (deleting.get(locationId) ?? 0) + change;
    if (next === 0) deleting.delete(locationId);
    else deleting.set(locationId, next);
  };
  count(1);
  let isDeleted = false;
  try {
    const result = await run();
    isDeleted = true;
    return result;
  } finally {
    count(-1);
    if (!isDeleted) tell({ kind: "Stale", locationId });
  }
}

/** The number of revoked subscriptions that no listener took. */
export const untakenRevocations = signal(0);

/** Passes an event to its listeners. */
export function tell(event: LiveEvent): void {
  const place = "locationId" in event ? event.locationId : null;
  if (place !== null && deleting.has(place)) return;
  const told = [...listeners].filter(({ places }) => place === null || places.includes(place));
  const isTaken = told.map(({ hear }) => hear(event)).includes(true);
  if (event.kind === "SubscriptionRevoked" && !isTaken) untakenRevocations.value++;
}

/** `onEvent` while a component is shown. */
export function useEvents<K extends LiveKind>(
  kinds: readonly K[],
  places: readonly string[],
  handler: (event: LiveEvent<K>) => void,
): void {
  const present = useRef(handler);
  present.current = handler;
  const key = JSON.stringify([kinds, places]);
  useEffect(() => onEvent(kinds, places, (event) => present.current(event)), [key]);
}

/** Events within this time lead to one read. */
const GATHERED_MS = 250;

/** A function that runs `run` once for many calls in a short time. */
export function gathered(run: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(run, GATHERED_MS);
  };
}

/** Runs `run` at once, and then at most once in each interval, milliseconds. The function ends with its component. */
export function useSpaced(run: () => void, intervalMs: number): () => void {
  const present = useRef(run);
  present.current = run;
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);
  const isDue = useRef(false);
  useEffect(() => () => clearTimeout(timer.current ?? undefined), []);
  const rest = () => {
    timer.current = setTimeout(() => {
      timer.current = null;
      if (isDue.current) start();
    }, intervalMs);
  };
  const start = () => {
    isDue.current = false;
    present.current();
    rest();
  };
  return useRef(() => {
    if (timer.current === null) start();
    else isDue.current = true;
  }).current;
}

/** `gathered` as a hook: pending calls end with the component. */
export function useGathered(run: () => void): () => void {
  const present = useRef(run);
  present.current = run;
  const shown = useRef(true);
  useEffect(() => {
    shown.current = true;
    return () => {
      shown.current = false;
    };
  }, []);
  return useRef(gathered(() => shown.current && present.current())).current;
}

/**
 * Reads again when something of a location changed, or when a change may have been missed. Many changes lead to one
 * read.
 * @param concerns Whether an event changes the shown data; every event unless given.
 */
export function useFresh(
  places: readonly string[],
  reload: () => void,
  concerns: (event: LiveEvent<"DocumentUploaded" | "StateUpdated" | "PositionChanged">) => boolean = () => true,
): void {
  const reloadOnce = useGathered(() => places.some((one) => deleting.has(one)) || reload());
  useEvents(["DocumentUploaded", "StateUpdated", "PositionChanged", "Stale"], places, (event) => {
    if (event.kind === "Stale" || concerns(event)) reloadOnce();
  });
}
