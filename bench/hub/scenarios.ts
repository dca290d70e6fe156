import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { MessagePackHubProtocol } from "@microsoft/signalr-protocol-msgpack";
import { bundled } from "../support/bundled.ts";
import { Clients } from "./clients.ts";
import { Crowd } from "./crowd.ts";
import { type Arrivals, change, lost, oneEvent, percentile, percentileOf, percentiles, type Row } from "./events.ts";
import { Joins } from "./joins.ts";
import { reconnect } from "./reconnect.ts";
import type { BenchService } from "./service.ts";

/** One scenario: fills the database while the service is stopped, then measures. */
export interface Scenario {
  title: string;
  /** The setting of the measurement, besides the machine. */
  setting: string;
  run(service: BenchService): Promise<Row[]>;
}

const CLIENTS = Number(process.env.HUB_CLIENTS ?? 1_000);
const WARM_EVENTS = 50;
/** Events, and as many plain frames: the processor time of one is a few ticks of its clock. */
const COMPARED_EVENTS = 100;
const BURST_EVENTS = 200;
const BURST_CLIENTS = 40;
/** Silence after which the runtime has removed the objects from memory: it does so after 10 s without work. */
const SILENCE_MS = 14_000;
/** Time to write the buffers of the sockets. */
const BETWEEN_PINGS_MS = 50;
const SILENCES = 5;
const IDLE_CLIENTS = 100;
const IDLE_MS = 100_000;
/** Connections within the machine's limit of open files: the runtime opens two for each, and some for itself. */
const MAX_CROWD = Math.floor((openFiles() - 500) / 2);
const CROWD = Number(process.env.HUB_CROWD ?? Math.min(10_000, MAX_CROWD));
const CROWD_EVENTS = 5;

/** The limit of open files of this process and its children. */
function openFiles(): number {
  const limit = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "latin1"))?.[1];
  return limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
}

/** Values over their limits. A value that depends on the machine has a multiple of a plain value of the same run as its limit. */
export const missed: string[] = [];

/** Holds a value to its multiple of a plain value. @returns the limit as a cell of a table */
function withinTimes(what: string, value: number, plain: number, limit: number): string {
  const times = value / plain;
  if (!(times <= limit)) missed.push(`${what}: ${times.toFixed(2)} × > ${limit} ×`);
  return `${times.toFixed(2)} × plain, ≤ ${limit} ×`;
}

/** CPU of the runtime for an event, as a multiple of frames that it only sends to the same sockets. */
const MAX_EVENT_CPU_TIMES = 1.25;
/** An event after a silence, beside an event before it; and the return of all clients, beside their first connection. */
const [MAX_SILENCE_TIMES, MAX_RETURN_TIMES] = [3, 0.6];
const WARM_BEFORE_SILENCE = 10;

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
const perEvent = (after: number, before: number, events = WARM_EVENTS): string =>
  (((after - before) / events) * 1_000).toFixed(0);

/** Fills an organization, starts the service, and connects a client for each member. */
async function connected(service: BenchService, members: number) {
  const site = await service.fill(members);
  await service.start();
  const idle = service.usage();
  const opening = performance.now();
  const clients = await Clients.open(service.url, site.locationId, site.tokens);
  return { site, clients, idle, openedIn: performance.now() - opening };
}

async function events(service: BenchService): Promise<Row[]> {
  const { site, clients, idle, openedIn } = await connected(service, CLIENTS);
  await oneEvent(service, site, clients);
  const before = { usage: service.usage(), counts: await service.counts() };
  const warm: Arrivals[] = [];
  for (let n = 0; n < WARM_EVENTS; n++) warm.push(await oneEvent(service, site, clients));
  let notHeard = lost(warm);
  const after = { usage: service.usage(), counts: await service.counts() };
  // In turns, so that the load of the machine is the same for both.
  let [eventCpu, plainCpu] = [0, 0];
  for (let n = 0; n < COMPARED_EVENTS; n++) {
    const begun = service.usage().cpuSeconds;
    const from = clients.heard;
    await service.burst(site.locationId, 1);
    notHeard += await clients.expect(1, from, 20_000);
    await wait(BETWEEN_PINGS_MS);
    const published = service.usage().cpuSeconds;
    await service.ping();
    await wait(BETWEEN_PINGS_MS);
    eventCpu += published - begun;
    plainCpu += service.usage().cpuSeconds - published;
  }
  const calls = (of: typeof after) => of.counts.shardCalls + of.counts.channelCalls;
  const grown = (after.usage.memoryMb - idle.memoryMb) * 1_000;
  return [
    [`${CLIENTS} clients connect and join, 20 at a time`, seconds(openedIn), ""],
    ["memory of the runtime for each connection, with garbage", `${(grown / CLIENTS).toFixed(0)} KB`, ""],
    [`event to ${CLIENTS} clients, from the answer of the call that causes it`, percentiles(warm, "fromAnswer"), ""],
    ["the same, from that call", percentiles(warm, "fromCall"), ""],
    ["the same, from the first client's receipt", percentiles(warm, "spread"), ""],
    ["lost", `${notHeard} of ${(WARM_EVENTS + COMPARED_EVENTS) * CLIENTS}`, "0"],
    [
      "CPU of the runtime for each event, from its publication: location, database, shards, sockets",
      `${perEvent(eventCpu, 0, COMPARED_EVENTS)} ms`,
      withinTimes("CPU of an event", eventCpu, plainCpu, MAX_EVENT_CPU_TIMES),
    ],
    [
      "the same with the API call that causes it, its job and the simulated queues",
      `${perEvent(after.usage.cpuSeconds, before.usage.cpuSeconds)} ms`,
      "",
    ],
    [
      "CPU of the runtime to only send such a frame to the same sockets",
      `${perEvent(plainCpu, 0, COMPARED_EVENTS)} ms`,
      "plain",
    ],
    ["calls of objects for each event", ((calls(after) - calls(before)) / WARM_EVENTS).toFixed(1), "≤ 9"],
    ["connections that broke", String(clients.drops), "0"],
  ];
}

async function silence(service: BenchService): Promise<Row[]> {
  const { site, clients } = await connected(service, CLIENTS);
  await oneEvent(service, site, clients);
  const warm: Arrivals[] = [];
  for (let n = 0; n < WARM_BEFORE_SILENCE; n++) warm.push(await oneEvent(service, site, clients));
  const warmP99 = percentileOf(warm, "fromCall", 0.99);
  const cold: Arrivals[] = [];
  const boots: string[] = [];
  for (let n = 0; n < SILENCES; n++) {
    const before = await service.counts();
    await wait(SILENCE_MS);
    cold.push(await oneEvent(service, site, clients));
    const after = await service.counts();
    boots.push(`${after.shardBoots - before.shardBoots} + ${after.channelBoots - before.channelBoots}`);
  }
  return [
    [
      `event to ${CLIENTS} clients after ${seconds(SILENCE_MS)} of silence, from the call's answer`,
      percentiles(cold, "fromAnswer"),
      "",
    ],
    [
      "the same, from that call",
      percentiles(cold, "fromCall"),
      `p99 ${withinTimes("event after a silence", percentileOf(cold, "fromCall", 0.99), warmP99, MAX_SILENCE_TIMES)}`,
    ],
    ["plain: events before the silence, from the call", percentiles(warm, "fromCall"), ""],
    ["lost", `${lost(cold)} of ${SILENCES * CLIENTS}`, "0"],
    ["objects that each event loaded into memory again: shards + location", boots.join(", "), "8 + 1"],
    ["connections that broke", String(clients.drops), "0"],
  ];
}

async function burst(service: BenchService): Promise<Row[]> {
  const { site, clients } = await connected(service, BURST_CLIENTS);
  /** Causes the burst with `send`. Returns its duration, the received events and the authorizing queries. */
  const measure = async (what: string, send: () => Promise<unknown>, queries: string): Promise<Row[]> => {
    const [from, before, began] = [clients.heard, await service.counts(), performance.now()];
    await send();
    const missing = await clients.expect(BURST_EVENTS, from, 60_000);
    const took = performance.now() - began;
    const asked = (await service.counts()).authorizations - before.authorizations;
    const orders = new Set(clients.received.map((heard) => heard.map(({ mark }) => mark).join()));
    return [
      [what, `${seconds(took)}, ${missing} lost, ${orders.size} order`, "none lost, 1 order"],
      ["queries that authorized them", String(asked), queries],
    ];
  };
  const together = await measure(
    `${BURST_EVENTS} events at once to ${BURST_CLIENTS} clients`,
    () => service.burst(site.locationId, BURST_EVENTS),
    "≤ 40",
  );
  const changes = await measure(
    `${BURST_EVENTS} changes over the API, 20 at a time, to ${BURST_CLIENTS} clients`,
    async () => {
      for (let n = 0; n < BURST_EVENTS; n += 20)
        await Promise.all(Array.from({ length: 20 }, () => change(service, site)));
    },
    "",
  );
  return [...together, ...changes, ["connections that broke", String(clients.drops), "0"]];
}

/** The calls of the handlers of shards, and their CPU, while clients are idle. */
async function whileIdle(service: BenchService): Promise<{ calls: number; cpuSeconds: number }> {
  await wait(5_000);
  const [before, began] = [await service.counts(), service.usage()];
  await wait(IDLE_MS);
  const [after, ended] = [await service.counts(), service.usage()];
  return {
    calls: after.messages + after.shardCalls + after.alarms - before.messages - before.shardCalls - before.alarms,
    cpuSeconds: ended.cpuSeconds - began.cpuSeconds,
  };
}

async function idle(service: BenchService): Promise<Row[]> {
  const { site, clients } = await connected(service, IDLE_CLIENTS);
  const json = await whileIdle(service);
  await clients.close();
  const others = await Clients.open(service.url, site.locationId, site.tokens, new MessagePackHubProtocol());
  const packed = await whileIdle(service);
  const broken = clients.drops + others.drops;
  await others.close();
  const what = (protocol: string) =>
    `calls of a shard's handlers in ${seconds(IDLE_MS)} with ${IDLE_CLIENTS} idle ${protocol} clients`;
  // A client pings every 15 s. The runtime answers one text by itself, and a ping of MessagePack is binary.
  const pings = Math.ceil((IDLE_CLIENTS * IDLE_MS) / 15_000) + IDLE_CLIENTS;
  return [
    [what("JSON"), String(json.calls), "0"],
    [what("MessagePack"), String(packed.calls), `≤ ${pings}, a ping each 15 s`],
    [
      "CPU of the runtime meanwhile, JSON and MessagePack",
      `${json.cpuSeconds.toFixed(1)} s, ${packed.cpuSeconds.toFixed(1)} s`,
      "",
    ],
    ["connections that broke", String(broken), "0"],
  ];
}

async function abort(service: BenchService): Promise<Row[]> {
  const { site, clients, openedIn } = await connected(service, CLIENTS);
  await oneEvent(service, site, clients);
  clients.expectRejoins();
  const before = { runtime: service.usage().cpuSeconds, clients: process.cpuUsage() };
  const began = performance.now();
  await service.abortShards();
  const back = await clients.allRejoined(60_000);
  const took = performance.now() - began;
  const ofRuntime = service.usage().cpuSeconds - before.runtime;
  const { user, system } = process.cpuUsage(before.clients);
  const after = await oneEvent(service, site, clients);
  return [
    [
      `all shards aborted at once: of ${CLIENTS} clients are back and joined`,
      `${back} in ${seconds(took)}`,
      withinTimes("return of all clients", took, openedIn, MAX_RETURN_TIMES),
    ],
    ["plain: the first connection of all, 20 at a time", seconds(openedIn), ""],
    ["CPU of the runtime for each client", `${((ofRuntime / CLIENTS) * 1_000).toFixed(1)} ms`, ""],
    ["CPU of the client itself", `${((user + system) / CLIENTS / 1_000).toFixed(1)} ms`, ""],
    ["the next event: lost", String(after.missing), "0"],
  ];
}

async function crowd(service: BenchService): Promise<Row[]> {
  const site = await service.fill(CROWD);
  await service.start();
  const idle = service.usage();
  const opening = performance.now();
  const crowd = new Crowd();
  await crowd.open(service.url, site.locationId, site.tokens);
  const openedIn = performance.now() - opening;
  const grown = (service.usage().memoryMb - idle.memoryMb) * 1_000;
  const heard: number[] = [];
  for (let n = 0; n < CROWD_EVENTS; n++) heard.push(...(await crowd.hear(() => change(service, site))));
  const refused = [...crowd.refusals].map(([why, many]) => `${many} ${why}`).join(", ");
  const rows: Row[] = [
    [
      `bare connections over 8 shards, ${CROWD} asked for (${MAX_CROWD} by the limit of open files)`,
      `${crowd.size} in ${seconds(openedIn)} ${refused}`,
      "",
    ],
    ["memory of the runtime for each joined connection, with garbage", `${(grown / crowd.size).toFixed(0)} KB`, ""],
    [
      "event to all of them, from the call that causes it",
      `p50 ${percentile(heard, 0.5).toFixed(0)} ms, p99 ${percentile(heard, 0.99).toFixed(0)} ms`,
      "",
    ],
    ["lost", `${CROWD_EVENTS * crowd.size - heard.length} of ${CROWD_EVENTS * crowd.size}`, "0"],
    ["connections that broke", String(crowd.broken), "0"],
  ];
  crowd.close();
  return rows;
}

/** Grants of each guest. The last number is the limit of a user. */
const GRANTS = [1, 300, 3_000, 5_000] as const;
const JOINS = 40;
/** A join of a guest with many grants, beside one of a guest with one grant. */
const MAX_GUEST_TIMES = 2;

async function guests(service: BenchService): Promise<Row[]> {
  const site = await service.fillGuests(GRANTS);
  await service.start();
  const joins = await Joins.open(service.url, site.locationId, site.tokens);
  // The guests take turns, so that other work of the machine is the same for all.
  const times = await joins.measure(JOINS);
  await joins.close();
  const medians = times.map((of) => percentile(of, 0.5));
  const [one = 1] = medians;
  return GRANTS.map((count, n) => [
    `a guest with ${count === 1 ? "one grant" : `${count} grants`} joins a location`,
    `p50 ${(medians[n] ?? 0).toFixed(1)} ms`,
    count === 1 ? "" : withinTimes(`a join with ${count} grants`, medians[n] ?? 0, one, MAX_GUEST_TIMES),
  ]);
}

/** The source of the service over SQLite in this process. */
const inbox = (): Promise<Row[]> =>
  bundled("bench/hub/inbox.ts", ({ measureInbox }) => (measureInbox as () => Promise<Row[]>)());

const OFFICIAL =
  "The deployed bundle in workerd, without the development server. The clients are `@microsoft/signalr` over WebSockets, all in one Node process on the same machine.";

export const scenarios: Readonly<Record<string, Scenario>> = {
  events: { title: "Live hub: events", setting: OFFICIAL, run: events },
  silence: { title: "Live hub: after a silence", setting: OFFICIAL, run: silence },
  burst: { title: "Live hub: a burst", setting: OFFICIAL, run: burst },
  idle: { title: "Live hub: idle connections", setting: OFFICIAL, run: idle },
  abort: { title: "Live hub: all shards aborted", setting: OFFICIAL, run: abort },
  reconnect: {
    title: "Live hub: replay against a stateful reconnect",
    setting: `${OFFICIAL} Dollars are by bench/cost/prices.ts.`,
    run: reconnect,
  },
  crowd: {
    title: "Live hub: many connections",
    setting: "The deployed bundle in workerd. The connections are plain WebSockets of one Node process.",
    run: crowd,
  },
  guests: {
    title: "Live hub: guests",
    setting: `${OFFICIAL} Each guest leaves and joins one location ${JOINS} times, in turns; plain is the guest with one grant.`,
    run: guests,
  },
  inbox: {
    title: "Inbox: 1,000,000 notifications, 2,000 of the caller, CPU time inside SQLite",
    setting: "",
    run: inbox,
  },
};
