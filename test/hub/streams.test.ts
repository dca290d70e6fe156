import { describe, expect, test, vi } from "vitest";
import { MAX_MESSAGE_BYTES } from "../../src/hub/limits";
import { LongPollConnection } from "../../src/hub/shard/streams";
import { call } from "../support/call";
import { mintLocation, mintOrganization, mintPerson } from "../support/factories";
import { END, events, HANDSHAKE, joinOf, negotiate, poll, post, readerOf, readUntil } from "../support/hub-requests";
import { systemContext } from "../support/jobs";

/* Event streams and long polls, with the exact texts that ASP.NET Core's clients expect. */

async function site() {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  return { token: owner.token, locationId };
}

const publish = (locationId: string, mark: string) =>
  systemContext().live.publish(locationId, [
    { target: "StateUpdated", payload: { mark }, requires: "LocationView", documentId: null, subject: null },
  ]);

describe("server-sent events", () => {
  test("begin with a comment, carry answers, events and echoed pings, and end with the reader", async () => {
    const { token, locationId } = await site();
    const id = await negotiate(token);
    const response = await events(token, id);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    const reader = readerOf(response);
    expect(await readUntil(reader, "\r\n\r\n")).toBe(":\r\n\r\n");
    expect((await post(token, id, HANDSHAKE)).status).toBe(200);
    expect(await readUntil(reader, "\r\n\r\n")).toBe(`data: {}${END}\r\n\r\n`);
    await post(token, id, joinOf(locationId));
    expect(await readUntil(reader, "\r\n\r\n")).toBe(`data: {"type":3,"invocationId":"1"}${END}\r\n\r\n`);
    await publish(locationId, "one");
    const told = await readUntil(reader, "\r\n\r\n");
    expect(told.replace(/,"epoch":"[^"]+","sequence":\d+/, "")).toBe(
      `data: {"type":1,"target":"StateUpdated","arguments":["${locationId}",{"mark":"one"}]}${END}\r\n\r\n`,
    );
    await post(token, id, `{"type":6}${END}`);
    expect(await readUntil(reader, "\r\n\r\n")).toBe(`data: {"type":6}${END}\r\n\r\n`);
    await reader.cancel();
  });
});

test("server-sent events refuse MessagePack, and read earlier posts", async () => {
  const { token } = await mintPerson();
  const id = await negotiate(token);
  await post(token, id, HANDSHAKE.replace("json", "messagepack"));
  const reader = readerOf(await events(token, id));
  expect(await readUntil(reader, `${END}\r\n\r\n`)).toContain(
    JSON.stringify({
      error:
        "Cannot use the 'messagepack' protocol on the current transport. The transport does not support 'Binary' transfer format.",
    }),
  );
  expect((await reader.read()).done).toBe(true);
  expect((await post(token, id, HANDSHAKE)).status).toBe(404);
});

describe("long polling", () => {
  test("answers the first poll at once, then with events, and with nothing after DELETE", async () => {
    const { token, locationId } = await site();
    const id = await negotiate(token);
    const first = await poll(token, id);
    expect([first.status, await first.text()]).toEqual([200, ""]);
    expect((await post(token, id, HANDSHAKE)).status).toBe(200);
    expect(await (await poll(token, id)).text()).toBe(`{}${END}`);
    await post(token, id, joinOf(locationId));
    expect(await (await poll(token, id)).text()).toContain('"invocationId":"1"');
    const waiting = poll(token, id);
    await publish(locationId, "one");
    expect(await (await waiting).text()).toContain('"mark":"one"');
    expect((await call("DELETE", `/sync-hub?id=${id}`, { token })).status).toBe(202);
    expect((await poll(token, id)).status).toBe(404);
    expect((await post(token, id, `{"type":6}${END}`)).status).toBe(404);
  });

  test("reads posts that arrive before the first poll, in their order", async () => {
    const { token, locationId } = await site();
    const id = await negotiate(token);
    expect((await post(token, id, HANDSHAKE.slice(0, 9))).status).toBe(200);
    expect((await post(token, id, HANDSHAKE.slice(9) + joinOf(locationId))).status).toBe(200);
    expect((await poll(token, id)).status).toBe(200);
    let got = "";
    while (!got.includes('"invocationId":"1"')) got += await (await poll(token, id)).text();
    expect(got).toBe(`{}${END}{"type":3,"invocationId":"1"}${END}`);
  });

  test("holds at most the maximum size of one post for a connection that has not started", async () => {
    const { token } = await mintPerson();
    const id = await negotiate(token);
    const half = "x".repeat(2 * MAX_MESSAGE_BYTES);
    const statuses = [await post(token, id, half), await post(token, id, half), await post(token, id, "x")];
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 413]);
  });

  test("answers 204 to the waiting poll after DELETE, and to a poll that another poll replaces", async () => {
    const credential = { kind: "user", id: "ada", userId: "ada", expiresAt: null } as const;
    const gone = vi.fn();
    const connection = new LongPollConnection(
      { id: "one", credential, endsAt: null, pings: true },
      gone,
      async () => [],
    );
    const [superseded, waiting] = [connection.poll(), connection.poll()];
    expect((await superseded).status).toBe(204);
    expect(gone).not.toHaveBeenCalled();
    connection.discard();
    expect((await waiting).status).toBe(204);
    expect(gone).toHaveBeenCalledOnce();
  });

  test("refuses every post that is too long to hold, at any length", async () => {
    const { token } = await mintPerson();
    const id = await negotiate(token);
    await poll(token, id);
    expect((await post(token, id, HANDSHAKE + "x".repeat(1024 ** 2))).status).toBe(413);
  });
});
