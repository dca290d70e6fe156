import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  FIRST_PING_MS,
  MAX_SILENCE_MS,
  PING_INTERVAL_MS,
  RECORD_TIMEOUT_MS,
  SOCKET_CHECK_INTERVAL_MS,
} from "../../src/hub/limits";
import { shardOf } from "../../src/hub/live";
import { parseMessages, writeBatch } from "../../src/hub/protocol";
import { mintPerson, type Person } from "../support/factories";
import { openSocket } from "../support/hub";
import { END, events, HANDSHAKE, negotiate, poll, post, readerOf, readUntil, socketAt } from "../support/hub-requests";
import { eventually, stopClock } from "../support/patience";

/* Tests which clients get pings, and which count as disconnected. test/system tests the official clients. */

const PING = `{"type":6}${END}`;
const SEND = `{"type":1,"target":"Settle","arguments":[]}${END}`;
const shardFor = (userId: string) => env.HUB_SHARD.getByName(shardOf(userId));

/** A socket that records its messages. */
async function socket(token: string, id?: string) {
  const { webSocket } = await (id === undefined ? openSocket(token) : socketAt(token, id));
  if (webSocket === null) throw new Error("no socket");
  const seen = { got: "", closed: false, send: (text: string) => webSocket.send(text) };
  webSocket.addEventListener("message", ({ data }) => {
    seen.got += String(data);
  });
  webSocket.addEventListener("close", () => {
    seen.closed = true;
  });
  webSocket.accept();
  onTestFinished(() => webSocket.close(1000));
  return seen;
}

/** A socket after its handshake whose client negotiated with version 1, so it sends pings itself. */
async function shaken(token: string, id?: string) {
  const seen = await socket(token, id ?? (await negotiate(token)));
  seen.send(HANDSHAKE);
  await eventually(() => expect(seen.got).toBe(`{}${END}`));
  seen.got = "";
  return seen;
}

/** Runs the alarm of the shards of these people, as if time had passed. */
async function pass(userId: string, ms: number): Promise<void> {
  stopClock(Date.now() + ms);
  await runDurableObjectAlarm(shardFor(userId));
}

test.each(["json", "messagepack"] as const)(
  "over %s, messages without an answer are answered by one ping, and a call by its answer",
  async (protocol) => {
    const { token } = await mintPerson();
    const { webSocket } = await socketAt(token, await negotiate(token));
    const told: string[] = [];
    webSocket?.addEventListener("message", ({ data }) => {
      const isHandshake = data === `{}${END}`;
      if (!isHandshake)
        told.push(
          ...parseMessages(protocol, typeof data === "string" ? data : new Uint8Array(data)).map(({ type }) => type),
        );
    });
    if (webSocket !== null) webSocket.binaryType = "arraybuffer";
    webSocket?.accept();
    onTestFinished(() => webSocket?.close(1000));
    const call = { type: "invocation" as const, target: "Settle", arguments: [] };
    const [sent, called] = [null, "1"].map((invocationId) => writeBatch([{ ...call, invocationId }])[protocol]);
    webSocket?.send(HANDSHAKE.replace("json", protocol));
    webSocket?.send(sent ?? "");
    await eventually(() => expect(told).toEqual(["ping"]));
    webSocket?.send(called ?? "");
    await eventually(() => expect(told).toEqual(["ping", "completion"]));
  },
);

test("a ping is answered, whether the runtime does it or a handler; long polls need none", async () => {
  const { token } = await mintPerson();
  const seen = await shaken(token);
  seen.send(PING);
  await eventually(() => expect(seen.got).toBe(PING));
  seen.send(PING + PING);
  await eventually(() => expect(seen.got).toBe(PING + PING + PING));
  const id = await negotiate(token);
  await poll(token, id);
  await post(token, id, HANDSHAKE + SEND + SEND.replace('"target"', '"invocationId":"1","target"'));
  let got = "";
  while (!got.includes("invocationId")) got += await (await poll(token, id)).text();
  expect(got).not.toContain(PING);
});

/** A person whose shard has no connection of another test, which would have its own pings. */
async function mintAlone(): Promise<Person> {
  for (let tries = 0; tries < 100; tries++) {
    const person = await mintPerson();
    const others = await runInDurableObject(shardFor(person.userId), (_, state) => state.getWebSockets().length);
    if (others === 0) return person;
  }
  throw new Error("every shard has connections of other tests");
}

describe("a socket", () => {
  test("of a client that pings by itself gets no pings, and is closed after a long silence", async () => {
    const { token, userId } = await mintPerson();
    const seen = await shaken(token);
    await pass(userId, MAX_SILENCE_MS / 2);
    expect([seen.got, seen.closed]).toEqual(["", false]);
    await pass(userId, MAX_SILENCE_MS);
    await eventually(() => expect(seen.closed).toBe(true));
    expect(seen.got).toContain("Client hasn't sent a message/ping within the configured ClientTimeoutInterval.");
    expect(seen.got).toContain('"allowReconnect":true');
  });

  test("of a client that pings stays open, even if the runtime answers", async () => {
    const { token, userId } = await mintPerson();
    const seen = await shaken(token);
    const now = Date.now();
    stopClock(now - 10 * MAX_SILENCE_MS);
    seen.send(PING);
    await eventually(() => expect(seen.got).toBe(PING));
    await pass(userId, 10 * MAX_SILENCE_MS + 1_000);
    seen.send(SEND);
    await eventually(() => expect(seen.got).toBe(PING + PING));
    expect(seen.closed).toBe(false);
  });

  test("of a client that may not ping by itself gets pings until it has pinged", async () => {
    const { token, userId } = await mintAlone();
    const seen = await socket(token);
    seen.send(HANDSHAKE);
    await eventually(() => expect(seen.got).toBe(`{}${END}`));
    await pass(userId, FIRST_PING_MS);
    await eventually(() => expect(seen.got).toBe(`{}${END}${PING}`));
    await pass(userId, PING_INTERVAL_MS);
    await eventually(() => expect(seen.got).toBe(`{}${END}${PING}${PING}`));
    seen.send(PING);
    await eventually(() => expect(seen.got).toBe(`{}${END}${PING}${PING}${PING}`));
    await pass(userId, PING_INTERVAL_MS);
    const next = await runInDurableObject(shardFor(userId), (_, state) => state.storage.getAlarm());
    expect(seen.got).toBe(`{}${END}${PING}${PING}${PING}`);
    expect(next).toBeGreaterThan(Date.now() + PING_INTERVAL_MS);
    expect(next).toBeLessThanOrEqual(Date.now() + SOCKET_CHECK_INTERVAL_MS);
  });
});

/** Runs the timers of an object, which works only inside that object. */
async function runTimers(userId: string, ms: number): Promise<void> {
  await runInDurableObject(shardFor(userId), () => vi.advanceTimersByTimeAsync(ms));
}

describe("timers", () => {
  const stopTimers = () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
  };

  test("a socket without a handshake in time gets an error and is closed", async () => {
    const { token, userId } = await mintPerson();
    stopTimers();
    const seen = await socket(token);
    seen.send(HANDSHAKE.slice(0, 10));
    await runTimers(userId, RECORD_TIMEOUT_MS);
    vi.useRealTimers();
    await eventually(() => expect(seen.closed).toBe(true));
    expect(seen.got).toBe(`{"error":"Handshake was canceled."}${END}`);
  });

  test("an event stream gets pings", async () => {
    const { token, userId } = await mintPerson();
    stopTimers();
    const id = await negotiate(token);
    const reader = readerOf(await events(token, id));
    await post(token, id, HANDSHAKE);
    await readUntil(reader, `data: {}${END}`);
    await runTimers(userId, PING_INTERVAL_MS);
    expect(await readUntil(reader, END)).toContain(PING);
    await reader.cancel();
  });
});
