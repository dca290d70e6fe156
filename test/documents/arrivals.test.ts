import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { expireArrivals, fileArrival } from "../../src/documents/arrivals/job";
import {
  ARRIVAL_RETENTION_MS,
  MAX_ARRIVAL_BYTES,
  MAX_INLINE_PICTURE_BYTES,
  WHOLE_MAIL_DELAY_MS,
} from "../../src/documents/limits";
import { documentVersions, mailArrivals } from "../../src/documents/tables";
import { beginChange } from "../../src/platform/db/change";
import { jobs } from "../../src/platform/jobs/tables";
import { storedObjects } from "../../src/uploads/tables";
import { call, codeOf, expectJson } from "../support/call";
import { mintMember } from "../support/factories";
import { systemContext } from "../support/jobs";
import { PROGRAMS, SENDER } from "../support/mail-programs";
import {
  ADDRESS_PATH,
  arrivalsOf,
  deliver,
  documentsAt,
  mailOf,
  mintMailPlace,
  namesAt,
  settled,
} from "../support/mails";
import { eventually } from "../support/patience";
import { testDatabase } from "../support/statements";

const db = testDatabase();

describe("a mail of each program becomes documents", () => {
  test.each(PROGRAMS)("$name", async ({ raw, names }) => {
    const place = await mintMailPlace({ senders: ["sender.test"] });
    expect(await deliver({ to: place.to, from: SENDER, raw })).toBeNull();
    const [arrival] = await settled(place);
    expect(arrival).toMatchObject({ status: "filed", reason: null, documentCount: names.length, sender: SENDER });
    expect((await namesAt(place.locationId)).sort()).toEqual([...names].sort());
    const all = await documentsAt(place.locationId);
    expect(all.find(({ id }) => id === arrival?.documentId)?.kind).toBe("mail");
    expect(all.map(({ createdBy }) => createdBy)).toEqual(names.map(() => place.owner.userId));
  });
});

test("the address has another ETag when the person whose access it has gets another name of the same length", async () => {
  const { owner, locationId } = await mintMailPlace({});
  const etag = async () => (await call("GET", ADDRESS_PATH(locationId), { token: owner.token })).headers.get("etag");
  const before = await etag();
  expect(await etag()).toBe(before);
  const renamed = env.DB.prepare("UPDATE people SET display_name = upper(display_name) WHERE id = ?");
  await renamed.bind(owner.userId).run();
  expect(await etag()).not.toBe(before);
});

test("the mail and its attachments have the bytes that were sent, and nothing of it stays behind", async () => {
  const place = await mintMailPlace({ senders: ["sender.test"], path: "Mail/Scans" });
  const raw = mailOf(SENDER, { attachments: [{ name: "a.txt", type: "text/plain", text: "The sapphire lens." }] });
  await deliver({ to: place.to.toUpperCase(), from: SENDER, raw });
  await settled(place);
  const all = await documentsAt(place.locationId);
  expect(all.map(({ path, fileName }) => `${path}/${fileName}`)).toEqual(["Mail/Scans/a.txt", "Mail/Scans/Report.eml"]);
  const bytes: string[] = [];
  for (const { id } of all) {
    const [version] = await db.select().from(documentVersions).where(eq(documentVersions.documentId, id));
    bytes.push((await (await env.BUCKET.get(version?.objectKey ?? ""))?.text()) ?? "");
  }
  expect(bytes).toEqual(["The sapphire lens.", raw.replace(/\n/g, "\r\n")]);
  await eventually(async () => {
    const left = await db.select().from(storedObjects).where(eq(storedObjects.tenantId, place.organizationId));
    expect(left.filter(({ key }) => key.includes("/arrivals/"))).toEqual([]);
  });
  // Search finds the text of both.
  await eventually(async () => {
    const { results } = await expectJson(
      z.object({ results: z.array(z.object({ title: z.string() })) }),
      200,
      "POST",
      "/v1/search",
      {
        token: place.owner.token,
        body: { term: "sapphire lens" },
      },
    );
    expect(results.map(({ title }) => title).sort()).toEqual(["Report.eml", "a.txt"]);
  });
});

test("people are told once of a mail, and the person whose access it uses too", async () => {
  const place = await mintMailPlace({ senders: ["sender.test"] });
  const member = await mintMember(place.organizationId);
  const attachments = ["a", "b"].map((name) => ({ name: `${name}.txt`, type: "text/plain", text: name }));
  await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER, { attachments }) });
  await settled(place);
  const told = z.object({ items: z.array(z.object({ title: z.string(), body: z.string() })) });
  for (const { token } of [place.owner, member])
    await eventually(async () => {
      const { items } = await expectJson(told, 200, "GET", "/v1/notifications", { token });
      expect(items.map(({ title, body }) => [title, body])).toEqual([
        ["A mail arrived with 2 attachments", "Report.eml"],
      ]);
    });
});

test("a repeated delivery makes nothing, whatever lines servers have added", async () => {
  const place = await mintMailPlace({ senders: ["sender.test"] });
  const raw = mailOf(SENDER, { attachments: [{ name: "a.txt", type: "text/plain", text: "one" }] });
  for (const trace of ["", "Received: from a by b; 1\n", "Received: from a by b; 2\n"])
    expect(await deliver({ to: place.to, from: SENDER, raw: trace + raw })).toBeNull();
  expect(await settled(place)).toHaveLength(1);
  expect(await namesAt(place.locationId)).toEqual(["a.txt", "Report.eml"]);
  // The same text in another mail is another mail.
  await deliver({ to: place.to, from: SENDER, raw: raw.replace("Message-ID: <", "Message-ID: <other.") });
  expect(await settled(place)).toHaveLength(2);
  expect(await namesAt(place.locationId)).toEqual(["a.txt", "Report.eml", "a (2).txt", "Report (2).eml"]);
});

test("two deliveries of one mail at the same time make it once", async () => {
  const place = await mintMailPlace({ senders: ["sender.test"] });
  const raw = mailOf(SENDER, { attachments: [{ name: "a.txt", type: "text/plain", text: "one" }] });
  await Promise.all([1, 2, 3].map(() => deliver({ to: place.to, from: SENDER, raw })));
  expect(await settled(place)).toHaveLength(1);
  expect(await namesAt(place.locationId)).toEqual(["a.txt", "Report.eml"]);
});

test("mails with the same names at the same time get different names", async () => {
  const place = await mintMailPlace({ senders: ["sender.test"] });
  const attachments = [{ name: "scan.pdf", type: "application/pdf", text: "%PDF-1.4" }];
  await Promise.all(
    [1, 2, 3, 4].map(() => deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER, { attachments }) })),
  );
  await settled(place);
  const scans = (await namesAt(place.locationId)).filter((name) => name.startsWith("scan"));
  expect(scans.sort()).toEqual(["scan (2).pdf", "scan (3).pdf", "scan (4).pdf", "scan.pdf"]);
});

test("MAX_ARRIVAL_BYTES: a larger mail is refused, and one of that size is taken", async () => {
  const place = await mintMailPlace({ senders: ["sender.test"] });
  const raw = new TextEncoder().encode(mailOf(SENDER, { subject: "Large" }).replace(/\n/g, "\r\n"));
  const sized = (size: number) => {
    const bytes = new Uint8Array(size).fill(0x20);
    bytes.set(raw);
    return bytes;
  };
  expect(await deliver({ to: place.to, from: SENDER, raw: sized(MAX_ARRIVAL_BYTES + 1) })).toBe(
    "The mail was refused. It is larger than 16 MiB, the limit of this address.",
  );
  expect(await deliver({ to: place.to, from: SENDER, raw: sized(MAX_ARRIVAL_BYTES) })).toBeNull();
  const [taken, refused] = await settled(place);
  expect(refused).toMatchObject({ status: "refused", reason: "too-large" });
  expect(taken).toMatchObject({ status: "filed", sizeBytes: MAX_ARRIVAL_BYTES });
});

test("MAX_INLINE_PICTURE_BYTES: a larger picture in the text is a document of its own", async () => {
  const place = await mintMailPlace({ senders: ["sender.test"] });
  const picture = (name: string, size: number) =>
    `--r\nContent-Type: image/gif; name=${name}.gif\nContent-ID: <${name}@x>\nContent-Disposition: inline; filename=${name}.gif\nContent-Transfer-Encoding: base64\n\n${btoa("G".repeat(size))}\n`;
  const raw = `From: ${SENDER}
Subject: Pictures
Message-ID: <pictures@mail.test>
MIME-Version: 1.0
Content-Type: multipart/related; boundary=r

--r
Content-Type: text/html

<img src="cid:small@x"><img src="cid:large@x">
${picture("small", MAX_INLINE_PICTURE_BYTES)}${picture("large", MAX_INLINE_PICTURE_BYTES + 1)}${picture("unshown", 10)}--r--
`;
  await deliver({ to: place.to, from: SENDER, raw });
  await settled(place);
  expect(await namesAt(place.locationId)).toEqual(["large.gif", "unshown.gif", "Pictures.eml"]);
});

test("ARRIVAL_RETENTION_MS: a mail leaves the list, and its documents stay", async () => {
  const place = await mintMailPlace({ senders: ["sender.test"] });
  await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER) });
  const [arrival] = await settled(place);
  const finishedAt = (at: number) =>
    db
      .update(mailArrivals)
      .set({ finishedAt: at })
      .where(eq(mailArrivals.id, arrival?.id ?? ""));
  const run = async () => {
    const outcome = await expireArrivals.run(systemContext(), { payload: {}, state: null } as never);
    await outcome.change?.commit();
  };
  await finishedAt(Date.now() - ARRIVAL_RETENTION_MS + 10_000);
  await run();
  expect(await arrivalsOf(place)).toHaveLength(1);
  await finishedAt(Date.now() - ARRIVAL_RETENTION_MS);
  await run();
  expect(await arrivalsOf(place)).toEqual([]);
  expect(await namesAt(place.locationId)).toEqual(["Report.eml"]);
});

test("WHOLE_MAIL_DELAY_MS: a mail whose filing fails in each try is filed later without its attachments", async () => {
  const place = await mintMailPlace({ senders: ["sender.test"] });
  const context = systemContext();
  const payload = { arrivalId: crypto.randomUUID() };
  const change = beginChange(context, place.organizationId);
  await fileArrival.failed?.(context, { payload, tenantId: place.organizationId } as never, change, {
    code: "internal",
    detail: "",
  });
  await change.commit();
  const later = (await db.select().from(jobs).where(eq(jobs.tenantId, place.organizationId))).filter(
    ({ kind }) => kind === "file-arrival",
  );
  expect(later.map(({ payload: given, runAt }) => [given, runAt])).toEqual([
    [{ ...payload, isWhole: true }, context.now + WHOLE_MAIL_DELAY_MS],
  ]);
});

describe("the address of a location", () => {
  test("is the way of a location, and another one after a rotation", async () => {
    const place = await mintMailPlace({ senders: ["sender.test"] });
    expect(place.to).toMatch(/^[0-9a-hjkmnp-tv-z]{25}@in\.workspace\.test$/);
    const { address } = await expectJson(
      z.object({ address: z.string() }),
      200,
      "POST",
      ADDRESS_PATH(place.locationId, "/rotate"),
      {
        token: place.owner.token,
      },
    );
    expect(await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER) })).toContain("does not exist");
    expect(await deliver({ to: address, from: SENDER, raw: mailOf(SENDER) })).toBeNull();
    await settled(place);
  });

  test("is hidden from members, and members without Write of the location cannot make one", async () => {
    const place = await mintMailPlace();
    const { token } = await mintMember(place.organizationId);
    expect(await codeOf(await call("GET", ADDRESS_PATH(place.locationId), { token }))).toBe("403 forbidden");
    expect(await codeOf(await call("POST", ADDRESS_PATH(place.locationId), { token, body: {} }))).toBe("403 forbidden");
  });

  test("has rules that null sets back, and one revision for each change", async () => {
    const { locationId, owner } = await mintMailPlace({
      senders: ["@Example.ORG", "Scanner@Example.org"],
      maxBytes: 5_000,
    });
    const state = z.object({ isAvailable: z.boolean(), address: z.record(z.string(), z.unknown()) });
    const read = () => expectJson(state, 200, "GET", ADDRESS_PATH(locationId), { token: owner.token });
    expect((await read()).address).toMatchObject({
      senders: ["example.org", "scanner@example.org"],
      maxBytes: 5_000,
      revision: 1,
    });
    const change = (body: Record<string, unknown>) =>
      call("PATCH", ADDRESS_PATH(locationId), { token: owner.token, body });
    expect((await change({ senders: null, attachmentKinds: ["pdf"], path: "Mail", baseRevision: 1 })).status).toBe(200);
    expect(await codeOf(await change({ maxBytes: null, baseRevision: 1 }))).toBe("409 stale-revision");
    expect((await change({ maxBytes: null, attachmentKinds: null })).status).toBe(200);
    expect((await read()).address).toMatchObject({
      senders: null,
      maxBytes: null,
      attachmentKinds: null,
      path: "Mail",
      revision: 3,
    });
    expect(await codeOf(await call("POST", ADDRESS_PATH(locationId), { token: owner.token, body: {} }))).toBe(
      "409 already-exists",
    );
    expect(await codeOf(await change({ senders: ["not an address"] }))).toBe("400 validation-failed");
  });

  test("needs a service that receives mail", async () => {
    const { locationId, owner } = await mintMailPlace();
    const without = { token: owner.token, vars: { MAIL_DOMAIN: "" } };
    const state = await call("GET", ADDRESS_PATH(locationId), without);
    expect(await state.json()).toEqual({ isAvailable: false, address: null });
    expect(await codeOf(await call("POST", ADDRESS_PATH(locationId), { ...without, body: {} }))).toBe(
      "422 rule-violated",
    );
  });

  test("ends with its location, and comes back with it", async () => {
    const place = await mintMailPlace({ senders: ["sender.test"] });
    const { token } = place.owner;
    const path = `/v1/spatial/locations/${place.locationId}`;
    expect((await call("DELETE", path, { token })).status).toBe(204);
    expect(await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER) })).toContain("does not exist");
    expect((await call("POST", `${path}/restore`, { token })).status).toBe(200);
    expect(await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER) })).toBeNull();
    await settled(place);
    // For good, the address and what came to it end with the rows of the location.
    expect((await call("DELETE", `${path}?purge=true`, { token })).status).toBe(204);
    await eventually(async () => {
      const left = await env.DB.prepare(
        "SELECT (SELECT count(*) FROM mail_addresses WHERE location_id = ?1) + (SELECT count(*) FROM mail_arrivals WHERE location_id = ?1) AS n",
      )
        .bind(place.locationId)
        .first("n");
      expect(left).toBe(0);
    });
  });
});

test("a mail that cannot be stored gives a temporary error, and leaves nothing", async () => {
  vi.useRealTimers();
  const place = await mintMailPlace({ senders: ["sender.test"] });
  const BUCKET = Object.assign(Object.create(env.BUCKET) as R2Bucket, {
    put: () => Promise.reject(new Error("no bucket")),
  });
  await expect(deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER), bindings: { BUCKET } })).rejects.toThrow(
    "no bucket",
  );
  expect(await arrivalsOf(place)).toEqual([]);
  expect(await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER) })).toBeNull();
  expect(await settled(place)).toHaveLength(1);
});
