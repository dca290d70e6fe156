import * as signalR from "@microsoft/signalr";
import * as messagePack from "@microsoft/signalr-protocol-msgpack";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { seeded } from "../support/random";
import { service, site, useService } from "./support/desk";
import { connect } from "./support/hub-walk.mjs";

/*
 * Kills the service like a power failure while it replays events to a client. After its next join, the client has each event
 * once, or was told to read again.
 */

const KILLS = Number(process.env.REPLAY_KILLS ?? 4);
const PATIENCE_MS = 300_000 + KILLS * 60_000;
const EDITS = 12;
/** The time after the call of a join in which the service is killed, ms: a replay takes about half of it. */
const KILL_WITHIN_MS = 120;

const standing = z.object({ epoch: z.string(), sequence: z.int(), reload: z.boolean() });
const edited = z.object({ revision: z.int() });
const way = { transport: "WebSockets", protocol: "json" } as const;

useService({ site: "plain" });

test(
  `a service that is killed at ${KILLS} moments of a replay loses no event and repeats none`,
  async () => {
    const random = seeded(1);
    const numbers: number[] = [];
    const told = new Set<number>();
    let position: { epoch: string; after: number } | null = null;
    let [cut, reloads] = [0, 0];

    /** A connection that notes what arrives. */
    const open = async () => {
      const connection = connect(signalR, messagePack, { url: service.url, token: site.token }, way);
      connection.on("StateUpdated", (_: string, event: { revision: number; epoch: string; sequence: number }) => {
        numbers.push(event.sequence);
        told.add(event.revision);
        position = { epoch: event.epoch, after: event.sequence };
      });
      await connection.start();
      return connection;
    };
    const read = () => service.api(edited, "GET", `/v1/spatial/locations/${site.locationId}`, site.token);
    const join = async (connection: signalR.HubConnection) => {
      const { epoch, sequence, reload } = standing.parse(
        await connection.invoke("JoinLocation", site.locationId, position),
      );
      position = { epoch, after: Math.max(sequence, position?.epoch === epoch ? position.after : 0) };
      if (!reload) return;
      reloads++;
      for (let revision = (await read()).revision; revision > 0; revision--) told.add(revision);
    };

    const first = await open();
    await join(first);
    expect(reloads).toBe(1);
    await first.stop();
    for (let kill = 0; kill < KILLS; kill++) {
      let last = 0;
      for (let n = 0; n < EDITS; n++) {
        const body = { description: `${kill} ${n}` };
        last = (await service.api(edited, "PATCH", `/v1/spatial/locations/${site.locationId}`, site.token, body))
          .revision;
      }
      const dying = await open();
      const joined = join(dying).then(
        () => {},
        () => void cut++,
      );
      await new Promise((resolve) => setTimeout(resolve, random() * KILL_WITHIN_MS));
      await service.restart();
      await joined;
      await dying.stop();
      const again = await open();
      await join(again);
      // The job of an announcement that was cut off runs again after its lease.
      await eventually(() => expect([...told]).toContain(last), LONG_PATIENCE);
      await again.stop();
    }
    const { revision } = await read();
    expect([...told].toSorted((a, b) => a - b)).toEqual(Array.from({ length: revision }, (_, n) => n + 1));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(reloads).toBe(1);
    console.info(JSON.stringify({ kills: KILLS, cut, events: numbers.length }));
  },
  PATIENCE_MS,
);
