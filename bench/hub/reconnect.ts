import { setTimeout as wait } from "node:timers/promises";
import { PRICES } from "../cost/prices.ts";
import { Clients } from "./clients.ts";
import { percentile, type Row } from "./events.ts";
import { Returning } from "./returning.ts";
import type { BenchService } from "./service.ts";

/*
 * What a replay needs after a loss, and what a stateful reconnect would need instead: a buffer of the frames that each client has
 * not acknowledged. Both are measured with the same service in one run.
 */

const LISTENERS = Number(process.env.HUB_CLIENTS ?? 1_000);
const AWAY = 20;
/** Lengths of a loss, seconds. The location has one event a second meanwhile. */
const LOSSES = [1, 20, 300] as const;
/** Silences of a shard after the loss of a connection, seconds. */
const SILENCES = [1, 20] as const;
const EVENTS = 50;
/** Events of a month at one event a minute. */
const MONTH_EVENTS = 30 * 24 * 60;

const dollars = (rows: number): string => `$${(rows * PRICES.objectRowsWritten).toFixed(2)}`;

/** A replay to clients that were away during `missed` events. */
async function replays(service: BenchService, locationId: string, away: readonly Returning[], missed: number) {
  for (const client of away) await client.leave();
  await service.burst(locationId, missed);
  const before = await service.counts();
  const returns = [];
  for (const client of away) returns.push(await client.comeBack());
  const after = await service.counts();
  const wanted = Array.from({ length: missed }, (_, n) => `burst-${n}`)
    .toSorted()
    .join();
  const wrong = returns.filter(({ marks, reload }) => reload || marks.toSorted().join() !== wanted).length;
  const times = returns.map(({ tookMs }) => tookMs);
  const each = (count: number): string => (count / away.length).toFixed(1);
  const bytes = returns.reduce((sum, one) => sum + one.bytes, 0);
  return [
    [
      `replay after a loss of ${missed} s, an event a second: until it has caught up`,
      `p50 ${percentile(times, 0.5).toFixed(0)} ms, p99 ${percentile(times, 0.99).toFixed(0)} ms`,
      "",
    ],
    ["clients that missed an event or received one twice", `${wrong} of ${away.length}`, "0"],
    [
      "for each client: bytes received, messages sent, rows that the objects wrote",
      `${each(bytes)}, ${each(after.messages - before.messages)}, ${each(after.rowsWritten - before.rowsWritten)}`,
      "",
    ],
  ] satisfies Row[];
}

/** Whether the memory of the shards, and so a buffer in it, outlives a silence. */
async function survivals(service: BenchService): Promise<Row[]> {
  const rows: Row[] = [];
  for (const silence of SILENCES) {
    // A ping of the bench reaches each shard, and does no more.
    await service.ping();
    const before = (await service.counts()).shardBoots;
    await wait(silence * 1_000);
    await service.ping();
    const lost = (await service.counts()).shardBoots - before;
    rows.push([`shards whose memory was lost in ${silence} s without an event`, `${lost} of 8`, ""]);
  }
  return rows;
}

/** The CPU and the rows of an event. */
async function cost(service: BenchService, locationId: string, clients: Clients) {
  const before = { cpu: service.usage().cpuSeconds, counts: await service.counts() };
  for (let n = 0; n < EVENTS; n++) {
    const from = clients.heard;
    await service.burst(locationId, 1);
    await clients.expect(1, from, 20_000);
  }
  const rows = (await service.counts()).rowsWritten - before.counts.rowsWritten;
  return { cpuMs: ((service.usage().cpuSeconds - before.cpu) / EVENTS) * 1_000, rows: rows / EVENTS };
}

export async function reconnect(service: BenchService): Promise<Row[]> {
  const site = await service.fill(LISTENERS + AWAY);
  await service.start();
  const clients = await Clients.open(service.url, site.locationId, site.tokens.slice(AWAY));
  const away = site.tokens.slice(0, AWAY).map((token) => new Returning(service.url, site.locationId, token));
  for (const client of away) await client.comeBack();
  const rows: Row[] = [];
  for (const missed of LOSSES) rows.push(...(await replays(service, site.locationId, away, missed)));
  for (const client of away) await client.leave();
  rows.push(...(await survivals(service)));
  await cost(service, site.locationId, clients);
  const plain = await cost(service, site.locationId, clients);
  await service.keepFrames();
  const kept = await cost(service, site.locationId, clients);
  return [
    ...rows,
    [
      `event to ${LISTENERS} clients, kept once for a replay`,
      `${plain.cpuMs.toFixed(0)} ms CPU, ${plain.rows.toFixed(1)} rows written`,
      "",
    ],
    [
      "the same, with a durable buffer of the frames of each client, and the acknowledgement of the frame before",
      `${kept.cpuMs.toFixed(0)} ms CPU (${(kept.cpuMs / plain.cpuMs).toFixed(2)} ×), ${kept.rows.toFixed(0)} rows written`,
      "",
    ],
    [
      `rows of a month with an event a minute to ${LISTENERS} clients: replay, durable buffer`,
      `${dollars(plain.rows * MONTH_EVENTS)}, ${dollars(kept.rows * MONTH_EVENTS)}`,
      "",
    ],
    ["connections that broke", String(clients.drops), "0"],
  ];
}
