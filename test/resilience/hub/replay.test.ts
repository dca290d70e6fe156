import { env } from "cloudflare:workers";
import { expect, onTestFinished, test } from "vitest";
import { EVENT_RETENTION_MS, MAX_KEPT_EVENTS } from "../../../src/hub/limits";
import type { LocationEvent, Subject } from "../../../src/platform/ports";
import { MINUTE, SECOND } from "../../../src/platform/time";
import {
  mintAnnotation,
  mintDocument,
  mintGrant,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPerson,
} from "../../support/factories";
import { HubClient } from "../../support/hub";
import { systemContext } from "../../support/jobs";
import { eventually, stopClock } from "../../support/patience";
import { seeded } from "../../support/random";

/*
 * People come and go while documents and annotations of a location change, move away and are deleted, and access is given
 * and taken. A model knows who may see which event. Each person receives exactly these events, each once, in their order, or is
 * told to read again.
 */

const EVENTS = 10_000;
const SEEDS = [1, 2];

interface Numbered {
  epoch: string;
  sequence: number;
}

/** An event as the model knows it. */
interface Happened {
  mark: number;
  at: number;
  requires: LocationEvent["requires"];
  subject: Subject | null;
}

interface Person {
  token: string;
  maySee(event: Happened): boolean;
  client: HubClient | null;
  /** The position that it names at its next join. */
  position: { epoch: string; after: number } | null;
  /** The mark of the last event that its position covers. */
  covered: number;
  read: number;
  returnsAt: number;
}

test.each(SEEDS)("nothing is missed, nothing comes twice, nothing is forbidden (seed %i)", async (seed) => {
  const random = seeded(seed);
  const pick = (n: number) => Math.floor(random() * n);
  const { id: organizationId, owner } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  const other = await mintLocation({ organizationId });
  const locationId = location.id;
  const viewer = await mintMember(organizationId, "member", { LocationBundles: "None" });
  const guest = await mintPerson();
  let grantId: string | null = null;
  let now = stopClock();
  const present = new Map<string, Subject>();

  const newPerson = (token: string, maySee: Person["maySee"]): Person => ({
    token,
    maySee,
    client: null,
    position: null,
    covered: -1,
    read: 0,
    returnsAt: now,
  });
  const isPresent = ({ subject }: Happened) => subject === null || present.has(subject.id);
  const people = [
    newPerson(owner.token, isPresent),
    newPerson(viewer.token, (event) => isPresent(event) && event.requires !== "LocationBundles"),
    newPerson(guest.token, (event) => grantId !== null && isPresent(event) && event.requires !== "Documents"),
  ];
  const happened: Happened[] = [];
  let [replays, reloads] = [0, 0];

  /** The events that a person has received since the last look. */
  async function heard(person: Person): Promise<Happened["mark"][]> {
    const { client } = person;
    if (client === null) return [];
    await client.invoke("Settle");
    const events = client.events("StateUpdated").slice(person.read);
    person.read += events.length;
    return events.map(({ arguments: [, payload] }) => {
      const { epoch, sequence, mark } = payload as Numbered & { mark: number };
      person.position = { epoch, after: Math.max(sequence, person.position?.after ?? 0) };
      person.covered = Math.max(person.covered, mark);
      return mark;
    });
  }

  async function leave(person: Person, forMs: number): Promise<void> {
    person.client?.close();
    await person.client?.expectClosed();
    person.client = null;
    person.returnsAt = now + forMs;
  }

  /** Returns whether an event is no longer kept. The model keeps the last ones of the last minutes. */
  const isGone = (mark: number) =>
    mark < happened.length - MAX_KEPT_EVENTS || (happened[mark]?.at ?? 0) <= now - EVENT_RETENTION_MS - MAX_KEPT_EVENTS;
  const isSurelyKept = (mark: number) =>
    mark >= happened.length - MAX_KEPT_EVENTS && (happened[mark]?.at ?? 0) > now - EVENT_RETENTION_MS;

  async function comeBack(person: Person): Promise<void> {
    const client = await HubClient.connect(person.token);
    onTestFinished(() => client.close());
    person.client = client;
    person.read = 0;
    const { error, result } = await client.ask("JoinLocation", locationId, person.position);
    const mayJoin = person !== people[2] || grantId !== null;
    expect(error === undefined).toBe(mayJoin);
    if (!mayJoin) return leave(person, MINUTE);
    const { epoch, sequence, reload } = result as Numbered & { reload: boolean };
    const missed = happened.slice(person.covered + 1);
    const expected = missed.filter(person.maySee).map(({ mark }) => mark);
    const got = await heard(person);
    if (reload) {
      reloads++;
      expect(got).toEqual([]);
      expect(person.position === null || missed.some(({ mark }) => !isSurelyKept(mark))).toBe(true);
    } else {
      replays++;
      expect(got).toEqual(expected);
      expect(missed.filter(({ mark }) => isGone(mark) && expected.includes(mark))).toEqual([]);
    }
    person.position = { epoch, after: Math.max(sequence, reload ? 0 : (person.position?.after ?? 0)) };
    person.covered = happened.length - 1;
  }

  async function changeSubjects(): Promise<void> {
    const ids = [...present.keys()];
    const gone = present.get(ids[pick(ids.length)] ?? "");
    if (ids.length > 20 && gone !== undefined) {
      const table = gone.type === "document" ? "documents" : "annotations";
      present.delete(gone.id);
      if (table === "annotations" && random() < 0.5)
        await env.DB.prepare("DELETE FROM annotations WHERE id = ?").bind(gone.id).run();
      else await env.DB.prepare(`UPDATE ${table} SET location_id = ? WHERE id = ?`).bind(other.id, gone.id).run();
    }
    const fileName = `${crypto.randomUUID()}.txt`;
    const id =
      random() < 0.5
        ? { type: "document" as const, id: await mintDocument({ organizationId }, location, [], { fileName }) }
        : { type: "annotation" as const, id: await mintAnnotation({ organizationId }, location) };
    present.set(id.id, id);
  }

  async function changeGrant(): Promise<void> {
    if (grantId === null) {
      const may = { LocationView: "Read", LocationBundles: "Read" } as const;
      grantId = await mintGrant({ organizationId }, guest.userId, "location", locationId, may);
    } else {
      await env.DB.prepare("DELETE FROM grants WHERE id = ?").bind(grantId).run();
      grantId = null;
    }
  }

  async function publish(): Promise<void> {
    const subjects = [...present.values()];
    const batch = Array.from({ length: 1 + pick(60) }, (_, n): Happened => {
      const subject = random() < 0.2 ? null : (subjects[pick(subjects.length)] ?? null);
      const requires =
        subject === null ? "LocationView" : subject.type === "document" ? "Documents" : "LocationBundles";
      return { mark: happened.length + n, at: now, requires, subject };
    });
    const listening = people.filter(({ client }) => client !== null);
    const events = batch.map(
      ({ mark, requires, subject }): LocationEvent => ({
        target: "StateUpdated",
        payload: { mark },
        requires,
        documentId: subject?.type === "document" ? subject.id : null,
        subject,
      }),
    );
    happened.push(...batch);
    await systemContext().live.publish(locationId, events);
    for (const person of listening) {
      expect(await heard(person)).toEqual(batch.filter(person.maySee).map(({ mark }) => mark));
      if (person === people[2] && grantId === null) {
        await person.client?.expectEvent("SubscriptionRevoked");
        await leave(person, pick(5 * MINUTE));
      }
      // A connected person has missed nothing.
      else person.covered = happened.length - 1;
    }
  }

  for (let n = 0; n < 6; n++) await changeSubjects();
  await changeGrant();
  for (const person of people) await comeBack(person);
  while (happened.length < EVENTS) {
    now = stopClock(now + SECOND + pick(40 * SECOND));
    for (const person of people) if (person.client === null && person.returnsAt <= now) await comeBack(person);
    const dice = random();
    if (dice < 0.3) await changeSubjects();
    else if (dice < 0.36) await changeGrant();
    else if (dice < 0.5) {
      const person = people[pick(people.length)];
      if (person?.client != null) await leave(person, SECOND + (random() < 0.7 ? pick(2 * MINUTE) : pick(20 * MINUTE)));
    } else await publish();
  }
  expect(Math.min(replays, reloads)).toBeGreaterThan(3);
  for (const person of people) if (person.client !== null) await leave(person, 0);
  await eventually(() => expect(people.every(({ client }) => client === null)).toBe(true));
});
