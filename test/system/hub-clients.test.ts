import { createRequire } from "node:module";
import * as signalR10 from "@microsoft/signalr";
import * as messagePack from "@microsoft/signalr-protocol-msgpack";
import * as signalR1 from "signalr-1";
import * as signalR1Zero from "signalr-1.0";
import * as signalR3 from "signalr-3";
import * as signalR5 from "signalr-5";
import * as signalR6 from "signalr-6";
import * as signalR7 from "signalr-7";
import * as signalR8 from "signalr-8";
import * as signalR9 from "signalr-9";
import { expect, test } from "vitest";
import { z } from "zod";
import { service, site, useService } from "./support/desk";
import { connect, nextEvent } from "./support/hub-walk.mjs";

/*
 * Every major version of the official client, unmodified. Each disconnects when it receives nothing for 30 s, and
 * they differ in when they send pings. All of them wait in parallel.
 */

const clients: Readonly<Record<string, object>> = {
  "@aspnet/signalr 1.1": signalR1,
  "@microsoft/signalr 3.1": signalR3,
  "@microsoft/signalr 5": signalR5,
  "@microsoft/signalr 6": signalR6,
  "@microsoft/signalr 7": signalR7,
  "@microsoft/signalr 8": signalR8,
  "@microsoft/signalr 9": signalR9,
  "@microsoft/signalr 10": signalR10,
};
const transports = ["WebSockets", "ServerSentEvents", "LongPolling"] as const;
/** Longer than the clients wait for their server. */
const LONGER_THAN_CLIENTS_WAIT_MS = 45_000;

// The fifth version expects a page or a worker where `fetch` exists, because Node had no `fetch` then.
Object.assign(globalThis, { self: globalThis });

const WITNESS = { transport: "WebSockets", protocol: "json" } as const;

interface Tried {
  name: string;
  /**
   * The state after its last message: it has called a method without waiting for the result, or sent nothing after
   * its start.
   */
  isQuiet: boolean;
  connection: signalR10.HubConnection;
  ended: string[];
}

useService({ site: "plain" });

function everyone(): Tried[] {
  const ways = Object.entries(clients).flatMap(([name, signalR]) =>
    transports.map((transport) => ({
      name: `${name} over ${transport}`,
      signalR,
      way: { transport, protocol: "json" },
    })),
  );
  // It never sends pings itself. Outside of browsers it supports only sockets, and cannot negotiate.
  const zero = { transport: "WebSockets" as const, protocol: "json", skipNegotiation: true };
  ways.push({ name: "@aspnet/signalr 1.0 over WebSockets", signalR: signalR1Zero, way: zero });
  for (const transport of ["WebSockets", "LongPolling"] as const)
    ways.push({
      name: `MessagePack over ${transport}`,
      signalR: signalR10,
      way: { transport, protocol: "messagepack" },
    });
  const target = { url: service.url, token: site.token };
  return ways.flatMap(({ name, signalR, way }) =>
    [true, false].map((isQuiet) => {
      const ended: string[] = [];
      const connection: signalR10.HubConnection = connect(signalR, messagePack, target, way);
      connection.onclose((error) => void ended.push(String(error?.message)));
      return { name: `${name}${isQuiet ? ", quiet" : ""}`, isQuiet, connection, ended };
    }),
  );
}

test("every client stays connected during a silence, and receives the events after it", async () => {
  const all = everyone();
  const results = await Promise.all(
    all.map(async ({ name, isQuiet, connection }) => {
      await connection.start();
      if (isQuiet) return null;
      const result: unknown = await connection.invoke("JoinLocation", site.locationId);
      await connection.send("JoinLocation", site.locationId);
      return { name, result };
    }),
  );
  await new Promise((resolve) => setTimeout(resolve, LONGER_THAN_CLIENTS_WAIT_MS));
  expect(all.filter(({ ended }) => ended.length > 0).map(({ name, ended }) => [name, ended])).toEqual([]);
  // A method without an answer has no result.
  expect(results.filter((one) => one !== null && one.result !== undefined)).toEqual([]);
  await Promise.all(all.map(({ connection }) => connection.invoke("JoinLocation", site.locationId)));
  const heard = all.map(({ connection }) => nextEvent(connection, "StateUpdated"));
  const edited = z.object({ revision: z.int() });
  await service.api(edited, "PATCH", `/v1/spatial/locations/${site.locationId}`, site.token, { description: "Later" });
  await Promise.all(heard);
  await Promise.all(all.map(({ connection }) => connection.stop()));
});

const standing = z.strictObject({ epoch: z.string(), sequence: z.int(), reload: z.boolean() });

test("every client gets the events that it missed, before the answer of its join", async () => {
  const first = everyone().filter(({ isQuiet }) => !isQuiet);
  const positions = await Promise.all(
    first.map(async ({ connection }) => {
      await connection.start();
      const { epoch, sequence } = standing.parse(await connection.invoke("JoinLocation", site.locationId, null));
      await connection.stop();
      return { epoch, after: sequence };
    }),
  );
  const edited = z.object({ revision: z.int() });
  const revisions: number[] = [];
  const witness = connect(signalR10, messagePack, { url: service.url, token: site.token }, WITNESS);
  await witness.start();
  await witness.invoke("JoinLocation", site.locationId);
  for (const description of ["One", "Two", "Three"]) {
    const told = nextEvent(witness, "StateUpdated");
    const path = `/v1/spatial/locations/${site.locationId}`;
    revisions.push((await service.api(edited, "PATCH", path, site.token, { description })).revision);
    await told;
  }
  const told = await Promise.all(
    everyone()
      .filter(({ isQuiet }) => !isQuiet)
      .map(async ({ name, connection }, i) => {
        const heard: number[] = [];
        connection.on("StateUpdated", (_: string, { revision }: { revision: number }) => void heard.push(revision));
        await connection.start();
        const answer = standing.parse(await connection.invoke("JoinLocation", site.locationId, positions[i]));
        const result = { name, heard: [...heard], reload: answer.reload };
        await connection.stop();
        return result;
      }),
  );
  expect(told).toEqual(first.map(({ name }) => ({ name, heard: revisions, reload: false })));
  await witness.stop();
});

type Opens = new (url: string, protocols?: string[], options?: object) => WebSocket & { terminate(): void };
const NodeSocket = createRequire(createRequire(import.meta.url).resolve("@microsoft/signalr"))("ws") as Opens;

/** A network that can be cut: its sockets end without a close, and new ones reach nobody. */
function network() {
  const sockets = new Set<InstanceType<Opens>>();
  let isCut = false;
  class Line extends NodeSocket {
    constructor(url: string, protocols?: string[], options?: object) {
      super(isCut ? "ws://127.0.0.1:1" : url, protocols, options);
      sockets.add(this);
    }
  }
  return {
    WebSocket: Line,
    cut: () => {
      isCut = true;
      for (const socket of sockets) socket.terminate();
      sockets.clear();
    },
    restore: () => {
      isCut = false;
    },
  };
}

const asking = [8, 9, 10].flatMap((major) =>
  (["json", "messagepack"] as const).map((protocol) => ({ major, protocol })),
);

test("clients that ask for a stateful reconnect come back after a loss, and a replay has what they missed", async () => {
  const majors: Record<number, object> = { 8: signalR8, 9: signalR9, 10: signalR10 };
  const line = network();
  const retries = Array.from({ length: 240 }, () => 250);
  const target = { url: service.url, token: site.token };
  const all = asking.map(({ major, protocol }) => {
    const way = { transport: "WebSockets", protocol, isStateful: true, WebSocket: line.WebSocket } as const;
    const connection: signalR10.HubConnection = connect(majors[major], messagePack, target, way, retries);
    const heard: number[] = [];
    let after = { epoch: "", after: 0 };
    connection.on("StateUpdated", (_: string, event: { revision: number; epoch: string; sequence: number }) => {
      heard.push(event.revision);
      after = { epoch: event.epoch, after: event.sequence };
    });
    const lost = new Promise<void>((done) => connection.onreconnecting(() => done()));
    const back = new Promise<void>((done) => connection.onreconnected(() => done()));
    const join = async (position: typeof after | null) => {
      const answer = standing.parse(await connection.invoke("JoinLocation", site.locationId, position));
      return { ...answer, heard: [...heard] };
    };
    return { name: `${major} with ${protocol}`, connection, heard, lost, back, join, position: () => after };
  });
  const edited = z.object({ revision: z.int() });
  const edit = async (description: string) => {
    const path = `/v1/spatial/locations/${site.locationId}`;
    return (await service.api(edited, "PATCH", path, site.token, { description })).revision;
  };
  const witness = connect(signalR10, messagePack, target, WITNESS);
  await witness.start();
  await witness.invoke("JoinLocation", site.locationId);
  for (const { connection, join } of all) {
    await connection.start();
    await join(null);
  }
  const first = Promise.all(all.map(({ connection }) => nextEvent(connection, "StateUpdated")));
  const revisions = [await edit("Before the loss")];
  await first;
  line.cut();
  await Promise.all(all.map(({ lost }) => lost));
  for (const description of ["During the loss", "And again"]) {
    const told = nextEvent(witness, "StateUpdated");
    revisions.push(await edit(description));
    await told;
  }
  line.restore();
  await Promise.all(all.map(({ back }) => back));
  const told = [];
  for (const { name, join, position } of all) told.push({ name, ...(await join(position())) });
  expect(told.map(({ name, heard, reload }) => ({ name, heard, reload }))).toEqual(
    all.map(({ name }) => ({ name, heard: revisions, reload: false })),
  );
  await Promise.all([witness, ...all.map(({ connection }) => connection)].map((connection) => connection.stop()));
});
