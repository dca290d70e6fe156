import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadFacts } from "../../src/access/permission/load";
import { countUnread, listInbox } from "../../src/notifications/inbox";
import type { Context } from "../../src/platform/context";
import { openDatabases } from "../../src/platform/db/database";
import { mean, percentile } from "../search/metrics.ts";
import { addDocument, addGrant, addMember, addOrganization, addPerson, addPlace, nextId } from "../search/rows.ts";
import { openSchema, TimedD1 } from "../search/sqlite-d1.ts";

const NOTIFICATIONS = Number(process.env.BENCH_NOTIFICATIONS ?? 1_000_000);
const EACH = 2_000;
const [PLACES, DOCUMENTS] = [25, 400];
const CALLS = 200;

/** The context for reads of the inbox: the caller with their current facts. */
async function contextOf(d1: TimedD1, userId: string): Promise<Context> {
  const opened = openDatabases(d1 as unknown as D1Database);
  const facts = await loadFacts(
    opened.workspace,
    userId,
    { organizationIds: null, ceiling: null, isProven: true },
    Date.now(),
  );
  const caller = { kind: "pat", tokenId: "bench", userId, isAdmin: false, expiresAt: null, facts } as const;
  return { ...opened, caller } as unknown as Context;
}

/** Builds inboxes in one organization and reads the inboxes of a member and a guest. Measures only the time of SQL. */
export async function measureInbox(): Promise<[string, string, string][]> {
  const folder = mkdtempSync(join(tmpdir(), "bench-inbox-"));
  try {
    const d1 = new TimedD1(openSchema(join(folder, "inbox.sqlite")));
    const db = d1.sqlite;
    db.exec("BEGIN");
    const organizationId = addOrganization(db);
    const places = Array.from({ length: PLACES }, () => addPlace(db, organizationId));
    const documents = Array.from({ length: DOCUMENTS }, (_, n) => {
      const place = places[n % PLACES];
      if (place === undefined) throw new Error("no place");
      return { ...place, id: addDocument(db, place, `${n}.pdf`, []).id };
    });
    const event = db.prepare(
      `INSERT INTO notification_events (no, event_id, type, severity, title, body, origin_type, origin_id, organization_id,
        cluster_id, location_id, document_id, created_at, page_after, page_seq, recipients)
        VALUES (?, ?, ?, 'info', 'A document was added', 'file.pdf', ?, ?, ?, ?, ?, ?, ?, '', ?, ?)`,
    );
    const place = [null, null, null];
    for (let no = 1; no <= EACH; no++) {
      const { id, clusterId, locationId } = documents[no % DOCUMENTS] ?? documents[0] ?? { id: "" };
      const origin =
        no % 10 === 0
          ? (["storage-low", "organization", organizationId, organizationId, ...place] as const)
          : ([
              "document-uploaded",
              "spatial-document",
              id,
              organizationId,
              clusterId ?? null,
              locationId ?? null,
              id,
            ] as const);
      event.run(no, nextId(), ...origin, no, no, NOTIFICATIONS / EACH);
    }
    const insert = db.prepare("INSERT INTO notifications (user_id, seq, event_no, read_at) VALUES (?, ?, ?, ?)");
    const fill = (userId: string) => {
      for (let seq = 1; seq <= EACH; seq++) insert.run(userId, seq, seq, seq % 4 === 0 ? 1 : null);
    };
    const [member, guest] = [addPerson(db).userId, addPerson(db).userId];
    addMember(db, organizationId, member);
    for (const place of places.slice(0, PLACES - 5)) addGrant(db, guest, place);
    for (const userId of [member, guest]) fill(userId);
    for (let n = 2 * EACH; n < NOTIFICATIONS; n += EACH) fill(addPerson(db).userId);
    db.exec("COMMIT");

    const rows: [string, string, string][] = [];
    const measure = async (what: string, call: () => Promise<unknown>) => {
      const times: number[] = [];
      for (let n = 0; n < CALLS; n++) {
        d1.take();
        await call();
        times.push(d1.take().ms);
      }
      // The CPU clock of a thread can have a resolution of 4 ms, so the mean of many calls is more exact.
      const shown = `mean ${mean(times).toFixed(2)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`;
      rows.push([what, shown, "≤ 5 ms"]);
    };
    const newest = { offset: 0, limit: 20, unreadOnly: false, sinceSeq: 0, archived: false, order: "newest" as const };
    for (const [who, userId] of [
      ["member", member],
      ["guest with grants on 20 of 25 locations", guest],
    ] as const) {
      const context = await contextOf(d1, userId);
      await measure(`newest 20, ${who}`, () => listInbox(context, newest));
      await measure(`20 after 1,500, ${who}`, () => listInbox(context, { ...newest, offset: 1_500 }));
      await measure(`unread only, ${who}`, () => listInbox(context, { ...newest, unreadOnly: true }));
      await measure(`since a number 50 back, ${who}`, () =>
        listInbox(context, { ...newest, limit: 100, sinceSeq: EACH - 50 }),
      );
      const { caller } = context;
      if (caller.kind === "pat") await measure(`unread count, ${who}`, () => countUnread(context));
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
