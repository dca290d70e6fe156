import { exports } from "cloudflare:workers";
import { expect, onTestFinished, test } from "vitest";
import { createClient, type LiveHub, LiveLocations } from "../../client/src/index";
import { MAX_KEPT_EVENTS } from "../../src/hub/limits";
import { parseMessages } from "../../src/hub/protocol";
import { newId } from "../../src/platform/ids";
import type { LocationEvent } from "../../src/platform/ports";
import { BASE_URL } from "../support/call";
import { mintDocument, mintLocation, mintMember, mintOrganization } from "../support/factories";
import { announceEvent, HubClient } from "../support/hub";
import { systemContext } from "../support/jobs";
import { eventually } from "../support/patience";

/* The helper of the client: joins, replays and the inbox after a lost connection. */

/** A connection as Microsoft's clients offer it. */
class Hub implements LiveHub {
  readonly #handlers = new Map<string, (...given: never[]) => void>();
  /** Calls that fail before they reach the service, or locations that it cannot join, by turn. */
  readonly failures: ("call" | { unavailable: string })[] = [];

  constructor(readonly client: HubClient) {
    onTestFinished(() => client.close());
    client.socket.addEventListener("message", ({ data }) => {
      for (const message of parseMessages("json", String(data)))
        if (message.type === "invocation") this.#handlers.get(message.target)?.(...(message.arguments as never[]));
    });
  }

  on(event: string, handler: (...given: never[]) => void): void {
    this.#handlers.set(event, handler);
  }

  async invoke<T>(method: string, ...given: unknown[]): Promise<T> {
    const failure = method === "JoinLocations" ? this.failures.shift() : undefined;
    if (failure === "call") throw new Error("The call failed.");
    const { error, result } = await this.client.ask(method, ...given);
    if (error !== undefined) throw new Error(error);
    if (failure === undefined) return result as T;
    const locationId = failure.unavailable;
    await this.client.invoke("LeaveLocation", locationId);
    const refused = { locationId, joined: false, reason: "unavailable" };
    return (result as { locationId: string }[]).map((one) => (one.locationId === locationId ? refused : one)) as T;
  }
}

/** A person's live locations, and what they have told. `fails` decides which requests fail. */
function newLive(token: string, fails: (url: URL) => boolean = () => false) {
  const told: string[] = [];
  const client = createClient({
    baseUrl: BASE_URL,
    personalAccessToken: token,
    retries: false,
    fetch: (request) =>
      fails(new URL(request.url)) ? Promise.reject(new TypeError("lost")) : exports.default.fetch(request),
  });
  const live = new LiveLocations(client, {
    onEvent: (_, locationId, payload) => told.push(`event ${locationId} ${(payload as { mark?: string }).mark}`),
    onReload: (locationId) => told.push(`reload ${locationId}`),
    onRefused: (locationId, reason) => told.push(`${reason} ${locationId}`),
    onRevoked: (locationId) => told.push(`revoked ${locationId}`),
    onNotification: ({ seq }) => told.push(`notification ${seq}`),
  });
  const connect = async () => {
    const hub = new Hub(await HubClient.connect(token));
    live.attach(hub);
    return hub;
  };
  const lose = async ({ client }: Hub) => {
    client.close();
    await client.expectClosed();
    live.disconnected();
  };
  /** What was told since the last call. */
  const heard = () => told.splice(0);
  return { live, connect, lose, heard };
}

const event = (mark: string): LocationEvent => ({
  target: "StateUpdated",
  payload: { mark },
  requires: "LocationView",
  documentId: null,
  subject: null,
});
const publish = (locationId: string, ...marks: string[]) => systemContext().live.publish(locationId, marks.map(event));

async function site() {
  const { id: organizationId, owner } = await mintOrganization();
  const [one, two] = [await mintLocation({ organizationId }), await mintLocation({ organizationId })];
  return { organizationId, owner, one, two };
}

test("a lost connection misses no event of any location, and reads again only where events are gone", async () => {
  const { owner, one, two } = await site();
  const { live, connect, lose, heard } = newLive(owner.token);
  const hub = await connect();
  await live.want([one.id, two.id]);
  await live.connected(hub);
  expect(heard().toSorted()).toEqual([`reload ${one.id}`, `reload ${two.id}`].toSorted());
  await publish(one.id, "seen");
  await eventually(() => expect(heard()).toEqual([`event ${one.id} seen`]));
  await lose(hub);
  await publish(one.id, "a", "b");
  await publish(two.id, ...Array.from({ length: MAX_KEPT_EVENTS + 1 }, (_, n) => String(n)));
  const again = await connect();
  await live.connected(again);
  expect(heard().toSorted()).toEqual([`event ${one.id} a`, `event ${one.id} b`, `reload ${two.id}`].toSorted());
  await live.want([two.id]);
  await publish(one.id, "left");
  await publish(two.id, "live");
  await again.client.invoke("Settle");
  expect(heard()).toEqual([`event ${two.id} live`]);
});

test("a location that is hidden is refused, and the others are joined", async () => {
  const { owner, one } = await site();
  const { live, connect, heard } = newLive(owner.token);
  const hidden = newId();
  await live.want([hidden, one.id]);
  await live.connected(await connect());
  expect(heard().toSorted()).toEqual([`not-found ${hidden}`, `reload ${one.id}`].toSorted());
});

test("locations that could not be joined are asked for again, until they are joined", async () => {
  const { owner, one, two } = await site();
  const { live, connect, heard } = newLive(owner.token);
  const hub = await connect();
  hub.failures.push("call", { unavailable: one.id });
  await live.want([one.id, two.id]);
  await live.connected(hub);
  expect(heard()).toEqual([]);
  await eventually(() => expect(hub.failures).toEqual([]));
  const told: string[] = [];
  await eventually(() => expect(told.push(...heard()) && told).toHaveLength(3));
  expect(told.toSorted()).toEqual([`unavailable ${one.id}`, `reload ${one.id}`, `reload ${two.id}`].toSorted());
  await publish(one.id, "live");
  await eventually(() => expect(heard()).toEqual([`event ${one.id} live`]));
});

test("a location that is not wanted any more is not asked for again", async () => {
  const { owner, one, two } = await site();
  const { live, connect, heard } = newLive(owner.token);
  const hub = await connect();
  hub.failures.push({ unavailable: one.id }, "call");
  await live.want([one.id]);
  await live.connected(hub);
  expect(heard()).toEqual([`unavailable ${one.id}`]);
  // The call that asks for the other location fails, so both would be asked for at the same time.
  await live.want([two.id]);
  await eventually(() => expect(heard()).toEqual([`reload ${two.id}`]));
});

test("missed notifications are read, and a failure of a page loses none", async () => {
  const { organizationId, one } = await site();
  const { token } = await mintMember(organizationId);
  let isDown = false;
  const { live, connect, lose, heard } = newLive(token, ({ searchParams }) => isDown && searchParams.has("cursor"));
  const upload = async () => {
    const fileName = `${newId()}.txt`;
    const documentId = await mintDocument({ organizationId }, one, [], { fileName });
    await announceEvent({ type: "document-uploaded", documentId, version: 1, actorUserId: null });
  };
  const hub = await connect();
  await live.connected(hub);
  await upload();
  await eventually(() => expect(heard()).toHaveLength(1));
  await lose(hub);
  const MISSED = 101;
  await Promise.all(Array.from({ length: MISSED }, upload));
  isDown = true;
  const cut = await connect();
  await expect(live.connected(cut)).rejects.toThrow("lost");
  const first = heard();
  expect(first).toHaveLength(100);
  // It arrives, and the one before it is still missing.
  await upload();
  await eventually(() => expect(heard()).toHaveLength(1));
  await lose(cut);
  isDown = false;
  await live.connected(await connect());
  const rest = heard();
  expect(rest).toHaveLength(2);
  expect(new Set([...first, ...rest]).size).toBe(MISSED + 1);
});
