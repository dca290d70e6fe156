import { env } from "cloudflare:workers";
import { createEncoder, toUint8Array, writeVarString, writeVarUint } from "lib0/encoding";
import * as Y from "yjs";
import * as hub from "../../src/hub/limits";
import { LongPollConnection } from "../../src/hub/shard/streams";
import { newId } from "../../src/platform/ids";
import * as reports from "../../src/reports/limits";
import { deltaOf, draftAt, keepBase } from "../../src/reports/merging/bases";
import type { Seat } from "../../src/reports/room/member";
import { Presence } from "../../src/reports/room/messages";
import { receive } from "../../src/reports/room/receive";
import { reportChanges } from "../../src/reports/tables";
import { systemContext } from "../support/jobs";
import { newReportSite } from "../support/rooms";
import { testDatabase } from "../support/statements";
import type { BoundRow } from "./bounds";

/** A connection of a room, and the reason for which it was closed. */
function newSeat() {
  const closed: string[] = [];
  const credential = { userId: newId(), kind: "pat", credentialId: newId(), expiresAt: null };
  const member = { clients: [], credential, displayName: "Ada", expiresAt: Number.POSITIVE_INFINITY, canWrite: true };
  const seat = { member, keep: () => {}, close: (reason: string) => void closed.push(reason) };
  return { seat: seat as unknown as Seat, closed };
}

/** An update of the presence of some clients, with a state of this many letters each. */
function presenceOf(clients: number, letters: number): Uint8Array {
  const encoder = createEncoder();
  writeVarUint(encoder, clients);
  for (let id = 1; id <= clients; id++) {
    writeVarUint(encoder, id);
    writeVarUint(encoder, 1);
    writeVarString(encoder, JSON.stringify({ at: "k".repeat(letters) }));
  }
  return toUint8Array(encoder);
}
const takes = (update: Uint8Array): boolean =>
  new Presence(new Y.Doc()).take(newSeat().seat, update, new Set()) !== null;

/** A text that makes the delta to it this many bytes of JSON. */
const textOfDelta = (bytes: number) => "k".repeat(bytes - JSON.stringify(deltaOf({}, { k: "" })).length);

export const liveBoundRows: readonly BoundRow[] = [
  {
    limit: "MAX_WAITING_BYTES",
    value: hub.MAX_WAITING_BYTES,
    accepts(n) {
      const credential = { userId: "u", kind: "pat", credentialId: "t" };
      const connection = { id: "c", credential, endsAt: null, pings: false } as unknown as ConstructorParameters<
        typeof LongPollConnection
      >[0];
      const polled = new LongPollConnection(
        connection,
        () => {},
        async () => [],
      );
      const isKept = polled.send(new Uint8Array(n));
      polled.discard();
      return isKept;
    },
  },
  {
    limit: "MAX_PRESENCE_BYTES",
    value: reports.MAX_PRESENCE_BYTES,
    accepts: (n) => takes(presenceOf(1, n - presenceOf(1, 1_000).length + 1_000)),
  },
  {
    limit: "MAX_CLIENT_IDS_PER_CONNECTION",
    value: reports.MAX_CLIENT_IDS_PER_CONNECTION,
    accepts: (n) => takes(presenceOf(n, 1)),
  },
  {
    limit: "MAX_ROOM_MESSAGE_BYTES",
    value: reports.MAX_ROOM_MESSAGE_BYTES,
    accepts(n) {
      const { seat, closed } = newSeat();
      receive({} as Parameters<typeof receive>[0], seat, new Uint8Array(n).fill(0xff).buffer);
      return closed[0] !== "tooLarge";
    },
  },
  {
    limit: "MAX_DELTA_BYTES",
    value: reports.MAX_DELTA_BYTES,
    accepts(n) {
      let added = 0;
      const change = { add: () => void added++ } as unknown as Parameters<typeof keepBase>[1];
      const report = { id: newId(), revision: 1, contentJson: { k: textOfDelta(n) } };
      keepBase(systemContext(), change, report, {}, 0);
      // The deletion of old ones is always added.
      return added === 2;
    },
  },
  {
    limit: "MAX_REVISIONS_SINCE_BASE",
    value: reports.MAX_REVISIONS_SINCE_BASE,
    async accepts(n) {
      const { reportId } = await newReportSite({});
      await testDatabase()
        .insert(reportChanges)
        .values({ reportId, revision: 2, delta: { fields: {} }, createdAt: 0 });
      await env.DB.prepare(
        `WITH RECURSIVE n (i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i <= ?2)
         INSERT INTO report_changes (report_id, revision, delta, created_at)
         SELECT report_id, i, delta, created_at FROM n, report_changes WHERE report_id = ?1 AND revision = 2`,
      )
        .bind(reportId, n)
        .run();
      return (await draftAt(systemContext(), { id: reportId, revision: n + 1, contentJson: {} }, 1)) !== null;
    },
  },
];
