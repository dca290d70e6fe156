import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { mintAnnotation, mintLocation, mintMember, mintOrganization } from "../support/factories";
import { announceEvent } from "../support/hub";
import { END, events, HANDSHAKE, joinOf, negotiate, poll, post, readerOf, readUntil } from "../support/hub-requests";

/*
 * The service checks access again when a client reads its queued messages. A user who loses access before reading gets none
 * of them, even if the service has not yet checked the user's connections again.
 */

async function site() {
  const { id: organizationId, owner } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  const annotationId = await mintAnnotation({ organizationId }, location);
  const { token, userId } = await mintMember(organizationId);
  return { owner, token, userId, locationId: location.id, annotationId };
}
type Site = Awaited<ReturnType<typeof site>>;

const JOINED = '"invocationId":"1"';
const LAST = `{"type":1,"invocationId":"last","target":"Settle","arguments":[]}${END}`;

const happens = ({ locationId, annotationId }: Site, subject: "location" | "annotation", revision = 2) => {
  const subjectId = subject === "location" ? locationId : annotationId;
  return announceEvent({ type: "state-updated", locationId, subject, subjectId, action: "updated", revision });
};

const narrow = ({ userId }: Site, overrides: string | null) =>
  (overrides === null
    ? env.DB.prepare("DELETE FROM memberships WHERE user_id = ?").bind(userId)
    : env.DB.prepare("UPDATE memberships SET overrides = ? WHERE user_id = ?").bind(overrides, userId)
  ).run();

/** Clients that have joined. A client reads its stream only when the test asks for it, and then up to the answer to the last message that it sent. */
const transports = {
  "server-sent events": async (here: Site) => {
    const { token, locationId } = here;
    const id = await negotiate(token);
    const reader = readerOf(await events(token, id));
    await post(token, id, HANDSHAKE + joinOf(locationId));
    await readUntil(reader, JOINED);
    // The runtime takes one frame ahead of the reader: that frame is under way, and the next ones wait.
    await happens(here, "location", 1);
    return async () => {
      await post(token, id, LAST);
      const got = await readUntil(reader, '"invocationId":"last"');
      await reader.cancel();
      return got;
    };
  },
  "long polling": async ({ token, locationId }: Site) => {
    const id = await negotiate(token);
    await poll(token, id);
    await post(token, id, HANDSHAKE + joinOf(locationId));
    let got = "";
    while (!got.includes(JOINED)) got += await (await poll(token, id)).text();
    return async () => {
      await post(token, id, LAST);
      let got = "";
      while (!got.includes('"invocationId":"last"')) got += await (await poll(token, id)).text();
      return got;
    };
  },
};

describe.each(Object.entries(transports))("what waits over %s", (_, connect) => {
  test("is delivered unchanged while its reader has access", async () => {
    const here = await site();
    const read = await connect(here);
    for (const subject of ["location", "annotation", "location"] as const) await happens(here, subject);
    const told = [
      ...(await read()).matchAll(/"subject":\{"type":"(\w+)","id":"[^"]+"\},"action":"updated","revision":2/g),
    ].map(([, type]) => type);
    expect(told).toEqual(["location", "annotation", "location"]);
  });

  test("is dropped when its reader has lost the location", async () => {
    const here = await site();
    const read = await connect(here);
    await happens(here, "location");
    await narrow(here, null);
    expect(await read()).not.toContain('"revision":2');
  });

  test("is dropped in part when its reader has lost a part", async () => {
    const here = await site();
    const read = await connect(here);
    await Promise.all([happens(here, "location"), happens(here, "annotation")]);
    await narrow(here, JSON.stringify({ LocationBundles: "None" }));
    const got = await read();
    expect(got).toContain('"revision":2');
    expect(got).not.toContain('"subject":{"type":"annotation"');
  });
});
