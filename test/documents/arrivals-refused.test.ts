import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { memberships, organizations, users } from "../../src/access/tables";
import { answerArrival } from "../../src/documents/arrivals/answers";
import { ANSWERS_PER_SENDER, MAILS_PER_ADDRESS, MAILS_PER_SENDER } from "../../src/documents/limits";
import { mailArrivals } from "../../src/documents/tables";
import { openDatabases } from "../../src/platform/db/database";
import { DAY } from "../../src/platform/time";
import { call } from "../support/call";
import { mintMember, mintPerson } from "../support/factories";
import { systemContext } from "../support/jobs";
import { SENDER } from "../support/mail-programs";
import { ADDRESS_PATH, arrivalsOf, deliver, mailOf, mintMailPlace, namesAt, settled, VERIFIED } from "../support/mails";
import { testDatabase } from "../support/statements";

const db = testDatabase();
const sends = { senders: ["sender.test"] };

/** A mail service that keeps what it gets. */
function mailService() {
  const sent: Record<string, unknown>[] = [];
  const MAIL = { send: async (mail: Record<string, unknown>) => void sent.push(mail) };
  return { sent, bindings: { MAIL, MAIL_FROM: "service@workspace.test" } };
}

const context = (mailer: (mail: unknown) => Promise<boolean>) => ({ ...systemContext(), mailer });

/** Runs the job that answers a mail, with a mail service that keeps what it gets. */
async function answersOf(arrivalId: string) {
  const sent: { to: string; subject: string; text: string; headers?: Record<string, string> }[] = [];
  const mailer = async (mail: unknown) => sent.push(mail as (typeof sent)[number]) > 0;
  await answerArrival.run(context(mailer), { payload: { arrivalId }, state: null } as never);
  return sent;
}

describe("a mail is rejected with one sentence", () => {
  const SENTENCE = "This address does not exist, or takes no mail.";

  test("for an address that does not exist, another domain, and an address that is switched off", async () => {
    const place = await mintMailPlace(sends);
    const unknown = [
      place.to.replace(/^.{10}/, "0123456789"),
      "ada@in.workspace.test",
      place.to.replace("in.workspace.test", "workspace.test"),
      "",
      "@in.workspace.test",
    ];
    for (const to of unknown) expect(await deliver({ to, from: SENDER, raw: mailOf(SENDER) })).toBe(SENTENCE);
    await call("PATCH", ADDRESS_PATH(place.locationId), { token: place.owner.token, body: { isEnabled: false } });
    expect(await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER) })).toBe(SENTENCE);
    expect(await arrivalsOf(place)).toEqual([]);
  });

  test("by a service that receives no mail, and for a deleted organization", async () => {
    const place = await mintMailPlace(sends);
    const raw = mailOf(SENDER);
    expect(await deliver({ to: place.to, from: SENDER, raw, bindings: { MAIL_DOMAIN: "" } })).toBe(SENTENCE);
    await db.update(organizations).set({ deletedAt: Date.now() }).where(eq(organizations.id, place.organizationId));
    expect(await deliver({ to: place.to, from: SENDER, raw })).toBe(SENTENCE);
  });
});

describe("who may send", () => {
  test("the envelope and From must both be allowed, and both alone are not enough", async () => {
    const place = await mintMailPlace({ senders: ["sender.test", "one@other.test"] });
    const tried: [envelope: string, from: string, isTaken: boolean][] = [
      [SENDER, SENDER, true],
      ["ADA@Sender.Test", SENDER, true],
      ["prvs=1234567890=ada@sender.test", SENDER, true],
      ["one@other.test", "one@other.test", true],
      ["two@other.test", "two@other.test", false],
      ["evil@evil.test", SENDER, false],
      [SENDER, "evil@evil.test", false],
      ["ada@sub.sender.test", "ada@sub.sender.test", false],
      ["ada@sender.test.evil.test", "ada@sender.test.evil.test", false],
      ["", SENDER, false],
    ];
    for (const [from, header, isTaken] of tried) {
      const answer = await deliver({ to: place.to, from, raw: mailOf(header) });
      expect([from, header, answer === null]).toEqual([from, header, isTaken]);
    }
    const refused = (await settled(place)).filter(({ status }) => status === "refused");
    expect(new Set(refused.map(({ reason }) => reason))).toEqual(new Set(["sender-not-allowed"]));
  });

  test("without a list, people with a verified address who may add documents at the location", async () => {
    const place = await mintMailPlace();
    const member = await mintMember(place.organizationId);
    const reader = await mintMember(place.organizationId, "member", { Documents: "Read" });
    const stranger = await mintPerson();
    const unverified = await mintPerson({ emailVerifiedAt: null });
    await db.insert(memberships).values({
      organizationId: place.organizationId,
      userId: unverified.userId,
      role: "member",
      overrides: {},
      createdAt: 0,
    });
    for (const { email } of [place.owner, member])
      expect(await deliver({ to: place.to, from: email, raw: mailOf(email) })).toBeNull();
    for (const { email } of [reader, stranger, unverified])
      expect(await deliver({ to: place.to, from: email, raw: mailOf(email) })).toBe(
        "The mail was refused. Its sender may not send documents to this address.",
      );
    // Two people who may both add documents.
    expect(await deliver({ to: place.to, from: place.owner.email, raw: mailOf(member.email) })).toBeNull();
    expect(await deliver({ to: place.to, from: stranger.email, raw: mailOf(member.email) })).not.toBeNull();
    await settled(place);
  });

  test.each([
    ["a failed DMARC", "Authentication-Results: mx.cloudflare.net; dmarc=fail header.from=sender.test; spf=pass\n"],
    ["a failed SPF without DMARC", "Authentication-Results: mx.cloudflare.net;\n dmarc=none; spf=fail (not listed)\n"],
    ["a verdict in a comment", 'Authentication-Results: mx (dmarc=pass "(") ; x="dmarc=pass"; dmarc=FAIL\n'],
    ["a forged field below that of the server", `ARC-Authentication-Results: i=1; mx; dmarc=fail\n${VERIFIED}`],
  ])("a spoofed sender is refused: %s", async (_, headers) => {
    const place = await mintMailPlace(sends);
    expect(await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER, { headers }) })).toContain(
      "could not be verified",
    );
    expect(await settled(place)).toMatchObject([{ status: "refused", reason: "sender-unverified", documentCount: 0 }]);
  });

  test.each([
    ["two From fields", `From: ${SENDER}\n`],
    ["two addresses in From", `From: ${SENDER}, evil@evil.test\nX-`],
  ])("a mail with %s is refused", async (_, headers) => {
    const place = await mintMailPlace(sends);
    expect(await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER, { headers }) })).toContain("may not send");
  });
});

describe("the access of the person who set the address up", () => {
  test("is read for each mail: without it mails are refused, until somebody else takes the address over", async () => {
    const place = await mintMailPlace(sends);
    const admin = await mintMember(place.organizationId, "admin");
    await call("PATCH", ADDRESS_PATH(place.locationId), { token: admin.token, body: { path: "Mail" } });
    await db.delete(memberships).where(eq(memberships.userId, admin.userId));
    expect(await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER) })).toContain(
      "may not add documents there any more",
    );
    expect(await settled(place)).toMatchObject([{ status: "refused", reason: "person-left" }]);
    await call("PATCH", ADDRESS_PATH(place.locationId), { token: place.owner.token, body: { isEnabled: true } });
    expect(await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER) })).toBeNull();
    await settled(place);
    expect(await namesAt(place.locationId)).toEqual(["Report.eml"]);
  });
});

test("a full storage refuses a mail, and takes it again when there is room", async () => {
  const place = await mintMailPlace(sends);
  const storage = (documentStorageBytes: number) =>
    db.update(organizations).set({ documentStorageBytes }).where(eq(organizations.id, place.organizationId));
  const raw = mailOf(SENDER, { attachments: [{ name: "a.bin", type: "application/x-a", text: "a".repeat(3_000) }] });
  await storage(1_000);
  expect(await deliver({ to: place.to, from: SENDER, raw })).toBe("The mail was refused. The storage is full.");
  // Room for the mail, but not for its attachment too: the job refuses it.
  await storage(5_000);
  expect(await deliver({ to: place.to, from: SENDER, raw })).toBeNull();
  expect(await settled(place)).toMatchObject([
    { status: "refused", reason: "storage-full", documentCount: 0 },
    { status: "refused", reason: "storage-full" },
  ]);
  expect(await namesAt(place.locationId)).toEqual([]);
  await storage(1_000_000);
  expect(await deliver({ to: place.to, from: SENDER, raw })).toBeNull();
  await settled(place);
  expect(await namesAt(place.locationId)).toEqual(["a.bin", "Report.eml"]);
});

test("a kind that the address does not take refuses the whole mail, and names the file", async () => {
  const place = await mintMailPlace({ ...sends, attachmentKinds: ["pdf"] });
  const attachments = [
    { name: "a.pdf", type: "application/pdf", text: "%PDF-1.4" },
    { name: "setup.exe", type: "application/x-msdownload", text: "MZ" },
  ];
  await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER, { attachments }) });
  await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER, { attachments: attachments.slice(0, 1) }) });
  const [taken, refused] = await settled(place);
  expect(refused).toMatchObject({
    reason: "kind-not-allowed",
    detail: "This address does not take files such as “setup.exe”.",
  });
  expect(taken).toMatchObject({ status: "filed", documentCount: 2 });
  expect(await namesAt(place.locationId)).toEqual(["a.pdf", "Report.eml"]);
});

test("the size of an address is its own", async () => {
  const place = await mintMailPlace({ ...sends, maxBytes: 2_048 });
  const subject = "x".repeat(3_000);
  expect(await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER, { subject }) })).toBe(
    "The mail was refused. It is larger than 2 KiB, the limit of this address.",
  );
});

describe("a refused mail is answered in words", () => {
  const refused = async (headers: string, from = "grace@stranger.test", envelope = from) => {
    const place = await mintMailPlace(sends);
    const { bindings } = mailService();
    const rejected = await deliver({
      to: place.to,
      from: envelope,
      raw: mailOf(from, { headers, subject: "My plan" }),
      bindings,
    });
    const [arrival] = await settled(place);
    const [row] = await db
      .select()
      .from(mailArrivals)
      .where(eq(mailArrivals.id, arrival?.id ?? ""));
    if (row === undefined) throw new Error("no arrival");
    return { rejected, row };
  };

  test("if its domain vouches for it: once, with the marks of an answer, and without a rejection", async () => {
    const { rejected, row } = await refused(VERIFIED);
    expect(rejected).toBeNull();
    expect(await answersOf(row.id)).toEqual([
      {
        to: "grace@stranger.test",
        subject: "Your mail was not added: My plan",
        text: expect.stringContaining("Its sender may not send documents to this address."),
        headers: { "Auto-Submitted": "auto-replied", "In-Reply-To": row.messageId, References: row.messageId },
      },
    ]);
  });

  test("in the language that the person has chosen", async () => {
    const { email } = await mintPerson({ language: "de" });
    const { row } = await refused(VERIFIED, email);
    expect(await answersOf(row.id)).toMatchObject([
      { to: email, text: expect.stringContaining("Ihr Absender darf keine Dokumente an diese Adresse senden.") },
    ]);
  });

  test.each([
    ["a program", `${VERIFIED}Auto-Submitted: auto-replied\n`],
    ["a list", `${VERIFIED}List-Id: <list.stranger.test>\n`],
    ["an absence note of Outlook", `${VERIFIED}X-Auto-Response-Suppress: All\n`],
    ["a bulk mail", `${VERIFIED}Precedence: bulk\n`],
    ["a sender for whom nobody vouches", ""],
  ])("not to %s: its server is told instead", async (_, headers) => {
    const { rejected, row } = await refused(headers);
    expect(rejected).toBe("The mail was refused. Its sender may not send documents to this address.");
    expect(row.answerTo).toBeNull();
    expect(await answersOf(row.id)).toEqual([]);
  });

  test("not without an envelope, and not to mailboxes that nobody reads or our own addresses", async () => {
    for (const [from, envelope] of [
      ["grace@stranger.test", ""],
      ["no-reply@stranger.test", undefined],
      ["mailer-daemon@stranger.test", undefined],
      ["0123456789@in.workspace.test", undefined],
    ] as const)
      expect((await refused(VERIFIED, from, envelope)).row.answerTo).toBeNull();
  });

  test("also if the job refuses it", async () => {
    const place = await mintMailPlace({ ...sends, attachmentKinds: ["pdf"] });
    const attachments = [{ name: "setup.exe", type: "application/x-msdownload", text: "MZ" }];
    const { bindings } = mailService();
    const raw = mailOf(SENDER, { attachments, headers: VERIFIED });
    expect(await deliver({ to: place.to, from: SENDER, raw, bindings })).toBeNull();
    const [arrival] = await settled(place);
    expect(await answersOf(arrival?.id ?? "")).toMatchObject([
      { to: SENDER, text: expect.stringContaining("setup.exe") },
    ]);
  });

  test("ANSWERS_PER_SENDER: no more often than that in a day", async () => {
    const from = `flood-${crypto.randomUUID()}@stranger.test`;
    const { row } = await refused(VERIFIED, from);
    expect(ANSWERS_PER_SENDER.windowMs).toBe(DAY);
    for (let n = 0; n < ANSWERS_PER_SENDER.limit; n++) expect(await answersOf(row.id)).toHaveLength(1);
    expect(await answersOf(row.id)).toEqual([]);
    expect(await answersOf((await refused(VERIFIED)).row.id)).toHaveLength(1);
  });
});

describe("floods", () => {
  const count = (bucket: string, requests: number) =>
    env.DB.prepare("UPDATE rate_windows SET count = count + ?2 WHERE bucket = ?1").bind(bucket, requests).run();

  test("MAILS_PER_ADDRESS: more get a temporary error, and other addresses go on", async () => {
    const [place, other] = await Promise.all([mintMailPlace(sends), mintMailPlace(sends)]);
    const one = (to: string) => deliver({ to, from: "x@evil.test", raw: mailOf("x@evil.test") });
    await one(place.to);
    await count(`mail:address:${place.locationId}`, MAILS_PER_ADDRESS.limit - 2);
    expect(await one(place.to)).toContain("may not send");
    await expect(one(place.to)).rejects.toThrow("rate-limited");
    expect(await one(other.to)).toContain("may not send");
    expect(await arrivalsOf(place)).toHaveLength(2);
  });

  test("MAILS_PER_SENDER: more get a temporary error, and other senders go on", async () => {
    const place = await mintMailPlace(sends);
    const from = `flood-${crypto.randomUUID()}@evil.test`;
    const one = (sender: string) => deliver({ to: place.to, from: sender, raw: mailOf(sender) });
    await one(from);
    await env.DB.prepare(
      "UPDATE rate_windows SET count = ?1 WHERE bucket LIKE 'mail:sender:%' AND count = 1 AND started_at = (SELECT max(started_at) FROM rate_windows WHERE bucket LIKE 'mail:sender:%')",
    )
      .bind(MAILS_PER_SENDER.limit - 1)
      .run();
    expect(await one(from)).toContain("may not send");
    await expect(one(from)).rejects.toThrow("rate-limited");
    expect(await one("calm@evil.test")).toContain("may not send");
  });
});

beforeAll(async () => {
  // The senders of these tests are not people.
  await openDatabases(env.DB).directory.delete(users).where(eq(users.email, SENDER));
});
