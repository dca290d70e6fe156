import fc from "fast-check";
import type { Capability } from "../../../src/access";
import { liveEventOf } from "../../../src/hub/live-events";
import type { WorkspaceEvent } from "../../../src/platform/events";
import { newId } from "../../../src/platform/ids";
import type { LocationEvent, Subject } from "../../../src/platform/ports";
import type { Thing } from "../../permission/world";
import { announceEvent } from "../../support/hub";
import { systemContext } from "../../support/jobs";
import { expectRevoked, type Listener, locationOf, sees, type Universe } from "./universe";

const SUBJECTS = ["location", "annotation", "document", "camera", "report", "position"] as const;

/** Some events of one location, sent together. */
export const bursts = fc.record({
  location: fc.nat(),
  subjects: fc.array(fc.tuple(fc.constantFrom(...SUBJECTS), fc.nat()), { minLength: 1, maxLength: 4 }),
});
export type Burst = typeof bursts extends fc.Arbitrary<infer T> ? T : never;

/** An event with its number, and the listeners that must or may receive it by the contract. */
interface Numbered {
  event: WorkspaceEvent;
  name: string;
  needs: Capability;
  thing: Thing;
}

let numbers = 0;

function numbered({ world, locations }: Universe, burst: Burst): { location: Thing; events: Numbered[] } {
  const location = locations[burst.location % locations.length] as Thing;
  const documents = world.things.filter((thing) => thing.kind === "document" && thing.parent?.id === location.id);
  const events = burst.subjects.map(([subject, pick]): Numbered => {
    const revision = ++numbers;
    const at = { locationId: location.id, revision };
    if (subject === "position") {
      const event = { type: "position-changed" as const, annotationId: newId(), position: { x: revision }, ...at };
      return { event, name: `PositionChanged ${revision}`, needs: "LocationBundles", thing: location };
    }
    const document = documents[pick % Math.max(1, documents.length)];
    const found = subject !== "document" || document === undefined ? null : document;
    const kind = subject === "document" && found === null ? "location" : subject;
    const needs = (
      {
        location: "LocationView",
        annotation: "LocationBundles",
        document: "Documents",
        camera: "LocationCameras",
        report: "Reports",
      } as const
    )[kind];
    const event = {
      type: "state-updated" as const,
      subject: kind,
      subjectId: found?.id ?? newId(),
      action: "updated" as const,
      ...at,
    };
    return { event, name: `StateUpdated ${revision}`, needs, thing: found ?? location };
  });
  return { location, events };
}

/** Whether a listener may receive an event now, by its location and its subject. */
const mayHear = (universe: Universe, listener: Listener, { needs, thing }: Numbered): boolean =>
  sees(universe, listener, "LocationView", locationOf(thing)) && sees(universe, listener, needs, thing);

const documentOf = ({ subject }: LocationEvent): Subject | null => (subject?.type === "document" ? subject : null);

async function publish(locationId: string, events: readonly Numbered[]): Promise<void> {
  const context = systemContext();
  const live = await Promise.all(events.map(({ event }) => liveEventOf(context, event)));
  await context.live.publish(
    locationId,
    // The only subjects in these worlds are locations and documents.
    live.flatMap((one) => (one === null ? [] : [{ ...one.event, subject: documentOf(one.event) }])),
  );
}

/**
 * Sends a burst without another change, so the receivers are certain. Returns the numbers of listeners that received
 * it and that did not.
 */
export async function send(universe: Universe, burst: Burst): Promise<{ heard: number; withheld: number }> {
  const { location, events } = numbered(universe, burst);
  const count = { heard: 0, withheld: 0 };
  for (const listener of universe.listeners) {
    if (!listener.joined.has(location.id)) continue;
    for (const event of events)
      if (mayHear(universe, listener, event)) {
        listener.expected.push(event.name);
        count.heard++;
      } else count.withheld++;
    if (!sees(universe, listener, "LocationView", location)) expectRevoked(listener, location.id);
  }
  await publish(location.id, events);
  return count;
}

/**
 * Sends a burst during `change`. A listener with access before and after must receive it. A listener without access before
 * and after must not. All others may or may not receive it.
 */
export async function sendDuring(
  universe: Universe,
  burst: Burst,
  change: () => { commit: () => Promise<void> },
): Promise<string[]> {
  const { location, events } = numbered(universe, burst);
  const may = () =>
    universe.listeners.map((listener) => ({
      listener,
      joined: listener.joined.has(location.id),
      views: sees(universe, listener, "LocationView", location),
      hears: events.map((event) => mayHear(universe, listener, event)),
    }));
  const before = may();
  const { commit } = change();
  await Promise.all([publish(location.id, events), commit()]);
  const after = may();
  const wrong: string[] = [];
  for (const [n, { listener, joined, views, hears }] of before.entries()) {
    if (listener.closed) continue;
    await listener.client.invoke("Settle");
    const got = heardBy(listener);
    for (const [i, { name }] of events.entries()) {
      const came = got.includes(name);
      const must = joined && hears[i] === true && after[n]?.hears[i] === true;
      const mayCome = joined && (hears[i] === true || after[n]?.hears[i] === true);
      if ((must && !came) || (came && !mayCome)) wrong.push(`${name} at credential ${n}: came ${came}, must ${must}`);
      if (came) listener.expected.push(name);
    }
    const lost = revocationsOf(listener).length > listener.revoked.length;
    if (joined && lost) {
      if (views && after[n]?.views === true)
        wrong.push(`credential ${n} lost ${location.id}, which it could see all along`);
      expectRevoked(listener, location.id);
    }
  }
  return wrong;
}

/** Announces an upload through its job: inboxes, notifications and the live event. */
export async function upload(universe: Universe, pick: number): Promise<void> {
  const documents = universe.world.things.filter((thing) => thing.kind === "document");
  const document = documents[pick % Math.max(1, documents.length)];
  if (document === undefined) return;
  const version = ++numbers;
  const location = locationOf(document);
  for (const listener of universe.listeners) {
    const views = sees(universe, listener, "LocationView", location);
    const reads = sees(universe, listener, "Documents", document);
    if (listener.joined.has(location.id)) {
      if (views && reads) listener.expected.push(`DocumentUploaded ${version}`);
      // A document in a deleted location has no live event. The deletion itself ends the subscriptions.
      if (!views && !universe.deleted.has(location.id)) expectRevoked(listener, location.id);
    }
    if (!reads) continue;
    // The check uses the rights of the user: a token never sees more than its user.
    listener.notified.push(`${document.id} ${version}`);
  }
  for (const listener of universe.listeners)
    if (!listener.alive && !universe.deleted.has(location.id) && personReads(universe, listener, document))
      listener.closed = true;
  await announceEvent({ type: "document-uploaded", documentId: document.id, version, actorUserId: null });
}

/** Whether a client gets an event of a document at all: a connection with an ended credential is closed. */
const personReads = (universe: Universe, { credential }: Listener, document: Thing): boolean => {
  const person = { userId: credential.userId, organizationIds: null, ceiling: null };
  const asPerson = { ...(universe.listeners[0] as Listener), alive: true, credential: person };
  return sees(universe, asPerson, "Documents", document);
};

const numberOf = (payload: unknown): unknown => {
  const { revision, version } = payload as { revision?: number; version?: number };
  return revision ?? version;
};
/** Messages that are not events of a location. */
const OTHERS = new Set(["SubscriptionRevoked", "NotificationReceived", "AccessChanged"]);

export const heardBy = ({ client }: Listener): string[] =>
  client
    .events()
    .filter(({ target }) => !OTHERS.has(target))
    .map(({ target, arguments: [, payload] }) => `${target} ${numberOf(payload)}`);
export const revocationsOf = ({ client }: Listener): string[] =>
  client.events("SubscriptionRevoked").map(({ arguments: [, locationId] }) => String(locationId));
export const notificationsOf = ({ client }: Listener): string[] =>
  client.events("NotificationReceived").map(({ arguments: [notification] }) => {
    const { origin } = notification as { origin: { id: string; data: { version: number } } };
    return `${origin.id} ${origin.data.version}`;
  });
