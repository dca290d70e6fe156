import type { Capability } from "../../../src/access";
import { atLeast, levelOn } from "../../permission/reference";
import { fillDatabase } from "../../permission/rows";
import type { Credential, Thing, World } from "../../permission/world";
import { mintToken } from "../../support/factories";
import { HubClient } from "../../support/hub";
import { mintSession } from "../../support/sessions";

/** One connection, with the events that it must receive and may receive by the contract. */
export interface Listener {
  credential: Credential;
  kind: "session" | "pat";
  /** Id of the session or token. */
  id: string;
  /** Whether the credential is valid: not ended, revoked or expired. */
  alive: boolean;
  client: HubClient;
  /** Whether the hub has closed it, which happens only after a check of its ended credential. */
  closed: boolean;
  joined: Set<string>;
  /** Events that must have arrived, in order, and notifications that must have arrived. */
  expected: string[];
  notified: string[];
  /** Locations whose loss it must have been notified of. */
  revoked: string[];
}

/** A world with listeners that changes while they are connected. */
export interface Universe {
  world: World;
  locations: Thing[];
  deleted: Set<string>;
  listeners: Listener[];
}

const FAR = 4_000_000_000_000;
/** The same world at the time of the runtime: ended credentials ended long ago, and the others end much later. */
const byTheClock = (world: World): World => ({
  ...world,
  now: Date.now(),
  memberships: world.memberships.map((membership) => ({ ...membership })),
  organizations: world.organizations.map((organization) => ({ ...organization })),
  grants: world.grants.map((grant) => ({
    ...grant,
    expiresAt: grant.expiresAt === null ? null : grant.expiresAt > world.now ? FAR : 1,
  })),
});

export const locationOf = (thing: Thing): Thing =>
  thing.kind === "location" || thing.parent === null ? thing : locationOf(thing.parent);

/** Whether this listener's credential may read there now by the contract. */
export function sees({ world, deleted }: Universe, listener: Listener, capability: Capability, thing: Thing): boolean {
  if (!listener.alive || deleted.has(locationOf(thing).id)) return false;
  return atLeast(levelOn({ ...world, now: Date.now() }, listener.credential, capability, thing), "Read");
}

async function connect(credential: Credential, isToken: boolean, n: number): Promise<Listener> {
  const { userId, organizationIds, ceiling, isProven = true } = credential;
  const { id, token } = isToken
    ? await mintToken(userId, { organizationIds, capabilities: ceiling, isProven })
    : await mintSession(userId, { secondFactor: isProven ? "passkey" : null });
  const client = await HubClient.connect(token, n % 2 === 0 ? "json" : "messagepack");
  const heard = { expected: [], notified: [], revoked: [] };
  const own = { ...credential };
  return {
    credential: own,
    kind: isToken ? "pat" : "session",
    id,
    alive: true,
    client,
    closed: false,
    joined: new Set(),
    ...heard,
  };
}

/** Writes a world into the database and connects every credential of it. */
export async function open(given: World): Promise<Universe> {
  const world = byTheClock(given);
  await fillDatabase(world);
  const listeners = await Promise.all(
    world.credentials.map((credential, n) => connect(credential, n >= world.userIds.length, n)),
  );
  const locations = world.things.filter((thing) => thing.kind === "location");
  return { world, locations, deleted: new Set(), listeners };
}

/** Joins a location, and compares the answer with the contract. Returns the difference, or null. */
export async function join(universe: Universe, listener: Listener, location: Thing): Promise<string | null> {
  if (listener.closed) return null;
  const may = sees(universe, listener, "LocationView", location);
  const joined = (await listener.client.join(location.id)) === null;
  if (joined) listener.joined.add(location.id);
  else if (listener.joined.has(location.id)) expectRevoked(listener, location.id);
  return joined === may ? null : `join of ${location.id}: ${joined}, contract ${may}`;
}

/** Waits until everything sent to the open connections so far has arrived. */
export async function settle({ listeners }: Universe): Promise<void> {
  await Promise.all(
    listeners.map(async ({ closed, client }) => {
      if (closed) await client.expectClosed();
      else await client.invoke("Settle");
    }),
  );
}

export function expectRevoked(listener: Listener, locationId: string): void {
  listener.joined.delete(locationId);
  if (!listener.closed) listener.revoked.push(locationId);
}
