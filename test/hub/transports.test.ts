import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test, vi } from "vitest";
import { digestOf, newConnectionId, writeConnectionToken } from "../../src/hub/connection-token";
import { MAX_MESSAGE_BYTES, MAX_NEGOTIATION_AGE_MS } from "../../src/hub/limits";
import { shardOf } from "../../src/hub/live";
import { newId } from "../../src/platform/ids";
import { call, expectJson } from "../support/call";
import { mintLocation, mintOrganization, mintPerson, mintToken } from "../support/factories";
import { openSocket } from "../support/hub";
import { END, events, HANDSHAKE, joinOf, negotiate, negotiated, poll, post, socketAt } from "../support/hub-requests";
import { systemContext } from "../support/jobs";

/*
 * The hub's answers to requests, with the exact texts that ASP.NET Core's clients expect. test/system tests the
 * clients themselves.
 */

async function site() {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  return { token: owner.token, owner, locationId };
}

describe("negotiate", () => {
  test("version 1 returns a connection id and a token, version 0 the token as the id", async () => {
    const { token } = await mintPerson();
    const one = await expectJson(negotiated, 200, "POST", "/sync-hub/negotiate?negotiateVersion=1", { token });
    expect(one).toMatchObject({ negotiateVersion: 1, connectionToken: expect.stringContaining(".") });
    expect(one.availableTransports.map(({ transport }) => transport)).toEqual([
      "WebSockets",
      "ServerSentEvents",
      "LongPolling",
    ]);
    for (const query of ["", "?negotiateVersion=0"]) {
      const zero = await expectJson(negotiated, 200, "POST", `/sync-hub/negotiate${query}`, { token });
      expect(zero).toMatchObject({ negotiateVersion: 0, connectionId: expect.stringContaining(".") });
      expect(zero).not.toHaveProperty("connectionToken");
    }
    const later = await expectJson(negotiated, 200, "POST", "/sync-hub/negotiate?negotiateVersion=7", { token });
    expect(later.negotiateVersion).toBe(1);
  });

  test("an invalid version is an error answer, another method gets 405, and an anonymous caller 401", async () => {
    const { token } = await mintPerson();
    const bad = await call("POST", "/sync-hub/negotiate?negotiateVersion=x", { token });
    expect([bad.status, await bad.json()]).toEqual([
      200,
      { error: "The client requested a non-integer protocol version." },
    ]);
    expect((await call("GET", "/sync-hub/negotiate", { token })).status).toBe(405);
    for (const bearer of [undefined, "nonsense", `svcpat1.${"0".repeat(32)}.${"0".repeat(64)}`])
      expect((await call("POST", "/sync-hub/negotiate", { token: bearer })).status).toBe(401);
    expect((await call("POST", `/sync-hub/negotiate?access_token=${token}`)).status).toBe(200);
  });
});

describe("a connection's id", () => {
  test("is required, must come from the hub, and belongs to one user", async () => {
    const [{ token }, other] = [await mintPerson(), await mintPerson()];
    expect((await call("GET", "/sync-hub", { token })).status).toBe(400);
    expect((await call("POST", "/sync-hub", { token, body: HANDSHAKE })).status).toBe(400);
    const id = await negotiate(token);
    for (const [bearer, wrong] of [
      [token, "nothing"],
      [token, `${id}x`],
      [token, `x${id}`],
      [other.token, id],
    ] as const)
      for (const attempt of [
        events(bearer, wrong),
        poll(bearer, wrong),
        post(bearer, wrong, HANDSHAKE),
        socketAt(bearer, wrong),
      ]) {
        const response = await attempt;
        expect([response.status, await response.text()]).toEqual([404, "No Connection with that ID"]);
      }
  });

  test("has one transport, once", async () => {
    const { token } = await mintPerson();
    const opened: Record<string, (id: string) => Promise<Response>> = {
      events: (id) => events(token, id),
      socket: (id) => socketAt(token, id),
      poll: (id) => poll(token, id),
    };
    const second = async (first: string, then: string) => {
      const id = await negotiate(token);
      const held = await opened[first]?.(id);
      held?.webSocket?.accept();
      const status = (await opened[then]?.(id))?.status;
      held?.webSocket?.close(1000);
      if (first === "events") await held?.body?.cancel();
      return status;
    };
    expect(await second("events", "events")).toBe(409);
    expect(await second("socket", "socket")).toBe(409);
    for (const [first, then] of [
      ["events", "socket"],
      ["events", "poll"],
      ["socket", "events"],
      ["socket", "poll"],
      ["poll", "events"],
      ["poll", "socket"],
    ] as const)
      expect([first, then, (await second(first, then)) ?? 0]).toEqual([first, then, 400]);
  });

  test("opens only one connection, even after the hub has lost that connection", async () => {
    const { token, userId } = await mintPerson();
    const [stream, polled, closed, unused] = [
      await negotiate(token),
      await negotiate(token),
      await negotiate(token),
      await negotiate(token),
    ];
    const { body } = await events(token, stream);
    expect((await poll(token, polled)).status).toBe(200);
    const { webSocket } = await socketAt(token, closed);
    const ended = new Promise((resolve) => webSocket?.addEventListener("close", resolve));
    webSocket?.accept();
    webSocket?.close(1000);
    await ended;
    await body?.cancel();
    const shard = env.HUB_SHARD.getByName(shardOf(userId));
    await runInDurableObject(shard, (_, state) => state.abort("loses its memory")).catch(() => {});
    for (const [attempt, id] of [
      [events, stream],
      [poll, polled],
      [socketAt, closed],
      [poll, closed],
    ] as const) {
      const response = await attempt(token, id);
      expect([response.status, await response.text()]).toEqual([404, "No Connection with that ID"]);
    }
    expect((await post(token, polled, HANDSHAKE)).status).toBe(404);
    expect((await poll(token, unused)).status).toBe(200);
  });

  test("expires some time after the negotiation", async () => {
    const { token, userId } = await mintPerson();
    const given = async (ago: number) =>
      writeConnectionToken(systemContext().settings.OBJECT_SIGNING_SECRET, {
        shard: shardOf(userId),
        connectionId: newConnectionId(),
        negotiatedAt: Date.now() - ago,
        credential: { kind: "pat", id: newId(), userId, expiresAt: null },
        bearerDigest: await digestOf("another"),
        version: 1,
      });
    for (const attempt of [events, poll, socketAt]) {
      const response = await attempt(token, await given(MAX_NEGOTIATION_AGE_MS));
      expect([response.status, await response.text()]).toEqual([404, "No Connection with that ID"]);
    }
    expect((await poll(token, await given(MAX_NEGOTIATION_AGE_MS / 2))).status).toBe(200);
  });

  test("of a socket accepts no POST and no DELETE", async () => {
    const { token } = await mintPerson();
    const id = await negotiate(token);
    const { webSocket } = await socketAt(token, id);
    webSocket?.accept();
    const posted = await post(token, id, HANDSHAKE);
    expect([posted.status, await posted.text()]).toEqual([
      405,
      "POST requests are not allowed for WebSocket connections.",
    ]);
    expect((await call("DELETE", `/sync-hub?id=${id}`, { token })).status).toBe(400);
    webSocket?.close(1000);
  });
});

describe("a socket", () => {
  const talk = async (token: string, ...sent: string[]) => {
    const { webSocket } = await openSocket(token);
    if (webSocket === null) throw new Error("no socket");
    const got: string[] = [];
    const closed = new Promise<number>((resolve) => webSocket.addEventListener("close", ({ code }) => resolve(code)));
    webSocket.addEventListener("message", ({ data }) => {
      got.push(String(data));
    });
    webSocket.accept();
    for (const text of sent) webSocket.send(text);
    return { code: await closed, got };
  };

  test("is closed with an error text after a wrong handshake", async () => {
    const { token } = await mintPerson();
    const refusals: [string, string][] = [
      [`{"protocol":"xml","version":1}${END}`, "The protocol 'xml' is not supported."],
      [`{"protocol":"json","version":9}${END}`, "The server does not support version 9 of the 'json' protocol."],
      [`{"protocol":1}${END}`, "Handshake was canceled."],
      [`hello${END}`, "Handshake was canceled."],
    ];
    for (const [sent, error] of refusals) {
      const { got } = await talk(token, sent);
      expect(got).toEqual([JSON.stringify({ error }) + END]);
    }
  });

  test("is closed with the limit in the error text after a message over 32 KiB", async () => {
    const { token } = await mintPerson();
    const ofSize = (size: number) => {
      const empty = JSON.stringify({ type: 1, invocationId: "1", target: "Dance", arguments: [""] }) + END;
      return empty.replace('[""]', `["${"a".repeat(size - empty.length)}"]`);
    };
    const { code, got } = await talk(token, HANDSHAKE, ofSize(MAX_MESSAGE_BYTES), ofSize(MAX_MESSAGE_BYTES + 1));
    expect(code).toBe(1009);
    expect(got).toEqual([
      `{}${END}`,
      `{"type":3,"invocationId":"1","error":"Unknown hub method 'Dance'"}${END}`,
      `{"type":7,"error":"Connection closed with an error. InvalidDataException: The maximum message size of 32768B was exceeded. The message size can be configured in AddHubOptions."}${END}`,
    ]);
  });

  test("can send many messages in one frame, and one message in many frames", async () => {
    const { token, locationId } = await site();
    const leave = joinOf(locationId).replace("JoinLocation", "LeaveLocation");
    const sent = HANDSHAKE + leave.repeat(400) + joinOf(locationId).replace('"1"', '"2"');
    const bytes = new TextEncoder().encode(sent);
    expect(bytes.length).toBeGreaterThan(MAX_MESSAGE_BYTES);
    for (const frames of [
      [HANDSHAKE, sent.slice(HANDSHAKE.length)],
      [sent.slice(0, 5), sent.slice(5, 200), sent.slice(200)],
      [bytes.slice(0, 7), bytes.slice(7, 300), bytes.slice(300)],
    ]) {
      const { webSocket } = await socketAt(token, await negotiate(token));
      const { promise, resolve } = Promise.withResolvers<string>();
      let got = "";
      webSocket?.addEventListener("close", ({ code }) => resolve(`closed with ${code} after ${got}`));
      webSocket?.addEventListener("message", ({ data }) => {
        got += String(data);
        if (got.includes('"invocationId":"2"')) resolve(got);
      });
      webSocket?.accept();
      for (const frame of frames) webSocket?.send(frame);
      const answer = (id: string) => `{"type":3,"invocationId":"${id}"}${END}`;
      expect(await promise).toBe(`{}${END}${answer("1").repeat(400)}${answer("2")}`);
      webSocket?.close(1000);
    }
  });

  test("cannot name its credential: the hub overwrites the header of a client", async () => {
    const { locationId } = await site();
    const stranger = await mintPerson();
    const forged = JSON.stringify({ id: "x", credential: { kind: "user", id: "y", userId: "y", expiresAt: null } });
    const { webSocket } = await call("GET", "/sync-hub", {
      token: stranger.token,
      headers: { upgrade: "websocket", "x-hub-connection": forged },
    });
    const answered = new Promise<string>((resolve) =>
      webSocket?.addEventListener("message", ({ data }) => {
        if (String(data).includes("invocationId")) resolve(String(data));
      }),
    );
    webSocket?.accept();
    webSocket?.send(HANDSHAKE + joinOf(locationId));
    expect(await answered).toContain("HubException");
    webSocket?.close(1000);
  });
});

describe("every answer", () => {
  test("has the request id, and is logged once without the client's data", async () => {
    const { token, userId } = await mintPerson();
    const logged = vi.spyOn(console, "info").mockImplementation(() => {});
    const id = await negotiate(token);
    const stale = await mintToken(userId, { expiresAt: 1 });
    const asked: [number, string, string, Record<string, string>][] = [
      [204, "OPTIONS", "/sync-hub/negotiate", {}],
      [200, "POST", `/sync-hub/negotiate?access_token=${token}`, {}],
      [401, "POST", `/sync-hub/negotiate?access_token=${stale.token}`, {}],
      [405, "GET", `/sync-hub/negotiate?access_token=${token}`, {}],
      [400, "GET", `/sync-hub?access_token=${token}`, {}],
      [404, "GET", `/sync-hub?id=nothing&access_token=${token}`, {}],
      [101, "GET", `/sync-hub?access_token=${token}`, { upgrade: "websocket" }],
      [200, "GET", `/sync-hub?id=${id}&access_token=${token}`, { accept: "text/event-stream" }],
    ];
    for (const [n, [status, method, path, headers]] of asked.entries()) {
      const requestId = `request-of-the-hub-${n}`;
      logged.mockClear();
      const response = await call(method, path, { headers: { "x-request-id": requestId, ...headers } });
      expect([response.status, response.headers.get("x-request-id")]).toEqual([status, requestId]);
      const lines = logged.mock.calls.map(([line]) => String(line)).filter((line) => line.includes(requestId));
      const caller = status === 401 || status === 204 ? "anonymous" : "token";
      expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ event: "request", method, status, caller }]);
      expect(lines.join()).not.toContain("access_token");
      response.webSocket?.accept();
      response.webSocket?.close(1000);
      await response.body?.cancel();
    }
    logged.mockRestore();
  });
});

describe("pages of other origins", () => {
  const vars = { ALLOWED_ORIGINS: "https://console.test" };
  const origin = "https://console.test";

  test("a configured origin may negotiate with credentials, and its preflight allows that", async () => {
    const { token } = await mintPerson();
    const preflight = await call("OPTIONS", "/sync-hub/negotiate", { vars, headers: { origin } });
    expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "GET, POST, DELETE",
    ]);
    for (const name of ["authorization", "content-type", "x-requested-with", "x-signalr-user-agent"])
      expect(preflight.headers.get("access-control-allow-headers")).toContain(name);
    const answer = await call("POST", "/sync-hub/negotiate", { token, vars, headers: { origin } });
    for (const response of [preflight, answer]) {
      expect(response.headers.get("access-control-allow-origin")).toBe(origin);
      expect(response.headers.get("access-control-allow-credentials")).toBe("true");
      expect(response.headers.get("vary")).toContain("Origin");
    }
    const refused = await call("POST", "/sync-hub/negotiate", { vars, headers: { origin } });
    expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, origin]);
  });

  test("no other origin may", async () => {
    const { token } = await mintPerson();
    for (const other of [
      "https://elsewhere.test",
      "null",
      "https://console.test.elsewhere.test",
      "http://console.test",
    ])
      for (const method of ["OPTIONS", "POST"]) {
        const response = await call(method, "/sync-hub/negotiate", { token, vars, headers: { origin: other } });
        expect(response.headers.get("access-control-allow-origin")).toBeNull();
        expect(response.headers.get("access-control-allow-credentials")).toBeNull();
      }
  });
});
