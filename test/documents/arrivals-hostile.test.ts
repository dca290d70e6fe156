import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { readHeaders } from "../../src/documents/arrivals/headers";
import { newLocalPart, readRecipient } from "../../src/documents/arrivals/local-part";
import { documentName, freeNames } from "../../src/documents/arrivals/names";
import { fileNameSchema } from "../../src/documents/document";
import { MAX_ARRIVAL_HEADER_BYTES, MAX_ATTACHMENTS } from "../../src/documents/limits";
import { sortNameOf } from "../../src/documents/sorting/sorting";
import { documents } from "../../src/documents/tables";
import { newIdIn, newWorkspaceId, numberOf } from "../../src/platform/ids";
import { locations } from "../../src/workspace/tables";
import { SENDER } from "../support/mail-programs";
import { deliver, documentsAt, mailOf, mintMailPlace, namesAt, settled } from "../support/mails";
import fc from "../support/properties";
import { testDatabase } from "../support/statements";

const sends = { senders: ["sender.test"] };

test("MAX_ATTACHMENTS: a mail with more is refused, and one with that many becomes as many documents", async () => {
  const place = await mintMailPlace(sends);
  const attachments = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `file.txt`, type: "text/plain", text: `Number ${n}` }));
  await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER, { attachments: attachments(500) }) });
  await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER, { attachments: attachments(MAX_ATTACHMENTS + 1) }) });
  await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER, { attachments: attachments(MAX_ATTACHMENTS) }) });
  const [taken, ...refused] = await settled(place);
  for (const one of refused)
    expect(one).toMatchObject({
      reason: "too-many-attachments",
      detail: "It has more than 100 attachments.",
      documentCount: 0,
    });
  expect(taken).toMatchObject({ status: "filed", documentCount: MAX_ATTACHMENTS + 1 });
  const names = await namesAt(place.locationId);
  expect(new Set(names).size).toBe(MAX_ATTACHMENTS + 1);
  expect(names.slice(0, 3)).toEqual(["file.txt", "file (2).txt", "file (3).txt"]);
  expect(names).toContain(`file (${MAX_ATTACHMENTS}).txt`);
});

test("parts in parts, 100 deep: the mail is filed as a whole", async () => {
  const place = await mintMailPlace(sends);
  const open = (n: number) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`;
  const raw = `From: ${SENDER}\nSubject: Deep\nMessage-ID: <deep@mail.test>\n${Array.from({ length: 100 }, (_, n) => open(n)).join("")}Content-Type: text/plain\n\nbottom\n`;
  expect(await deliver({ to: place.to, from: SENDER, raw })).toBeNull();
  expect(await settled(place)).toMatchObject([
    {
      status: "filed",
      reason: "unreadable",
      detail: expect.stringContaining("could not be read separately"),
      documentCount: 1,
    },
  ]);
  expect(await namesAt(place.locationId)).toEqual(["Deep.eml"]);
});

test("base64 that ends in the middle gives the bytes that arrived", async () => {
  const place = await mintMailPlace(sends);
  const whole = mailOf(SENDER, {
    attachments: [{ name: "a.pdf", type: "application/pdf", text: `%PDF-1.4${"x".repeat(400)}` }],
  });
  await deliver({ to: place.to, from: SENDER, raw: whole.slice(0, whole.indexOf("JVBERi0") + 201) });
  expect(await settled(place)).toMatchObject([{ status: "filed", documentCount: 2 }]);
  const [pdf] = await documentsAt(place.locationId);
  expect(pdf?.fileName).toBe("a.pdf");
  expect(pdf?.sizeBytes).toBe(150);
});

test("MAX_ARRIVAL_HEADER_BYTES: longer headers are refused, and shorter ones are read", async () => {
  const place = await mintMailPlace(sends);
  const base = mailOf(SENDER);
  const length = new TextEncoder().encode(base.slice(0, base.indexOf("\n\n") + 2).replace(/\n/g, "\r\n")).length;
  const raw = (more: number) =>
    mailOf(SENDER, { headers: `X-Long: ${"x".repeat(MAX_ARRIVAL_HEADER_BYTES - length - 12 + more)}\n` });
  expect(await deliver({ to: place.to, from: SENDER, raw: raw(200) })).toContain("could not be read as a mail");
  expect(await deliver({ to: place.to, from: SENDER, raw: raw(-200) })).toBeNull();
  expect((await settled(place)).map(({ status }) => status)).toEqual(["filed", "refused"]);
});

test.each(["", "\r\n\r\n", "no mail at all", "\u0000".repeat(5_000)])("what is no mail is refused: %j", async (raw) => {
  const place = await mintMailPlace(sends);
  expect(await deliver({ to: place.to, from: SENDER, raw: new TextEncoder().encode(raw) })).not.toBeNull();
});

test("names with separators, directions and controls become names of documents", async () => {
  const place = await mintMailPlace(sends);
  const names = [
    "../../etc/passwd",
    "C:\\\\Temp\\\\a.txt",
    "inv\u202egpj.exe",
    "tab\u0007\u2028.txt",
    "...",
    "v00000001",
    "con.txt",
  ];
  const attachments = names.map((name) => ({ name, type: "text/plain", text: "x" }));
  await deliver({ to: place.to, from: SENDER, raw: mailOf(SENDER, { attachments, subject: "a/b\u202ec" }) });
  await settled(place);
  const all = await namesAt(place.locationId);
  expect(all).toHaveLength(names.length + 1);
  for (const name of all) expect(fileNameSchema.safeParse(name).success).toBe(true);
  expect(all[0]).toBe(".._.._etc_passwd");
  expect(all.at(-1)).toBe("a_b c.eml");
});

test("any name becomes a name of a document", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
      expect(fileNameSchema.safeParse(documentName(text, "Mail.eml")).success).toBe(true);
    }),
  );
});

test("any bytes have headers that can be judged", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), (bytes) => {
      const { subject, from } = readHeaders(bytes);
      expect(subject).toBe(subject.toWellFormed());
      expect(from === null || from.includes("@")).toBe(true);
    }),
  );
});

test("an address names the number of its workspace, in any case of letters", () => {
  for (let n = 0; n < 200; n++) {
    const id = newWorkspaceId();
    const localPart = newLocalPart(id);
    expect(readRecipient(`${localPart.toUpperCase()}@IN.Example.org`, "in.example.org")).toEqual({
      localPart,
      number: numberOf(id),
    });
    expect(readRecipient(`${localPart}@example.org`, "in.example.org")).toBeNull();
  }
});

test("a name that thousands of documents have gets the next number with few reads", async () => {
  const { locationId, organizationId } = await mintMailPlace(sends);
  const db = testDatabase();
  const [place] = await db.select().from(locations).where(eq(locations.id, locationId));
  const rows = Array.from({ length: 1_300 }, (_, n) => (n === 0 ? "scan.pdf" : `scan (${n + 1}).pdf`));
  const [now, clusterId] = [Date.now(), place?.clusterId ?? ""];
  for (let at = 0; at < rows.length; at += 5)
    await db.insert(documents).values(
      rows.slice(at, at + 5).map((fileName) => ({
        ...{ id: newIdIn(organizationId), tenantId: organizationId, organizationId, clusterId, locationId, path: "" },
        ...{ fileName, sortName: sortNameOf(fileName), createdAt: now, updatedAt: now },
      })),
    );
  let reads = 0;
  const workspace = Object.assign(Object.create(db) as typeof db, {
    all: (...given: Parameters<typeof db.all>) => {
      reads++;
      return db.all(...given);
    },
  });
  const names = await freeNames({ workspace } as never, { locationId, path: "" }, ["scan.pdf", "other.pdf"]);
  expect(names).toEqual(["scan (1301).pdf", "other.pdf"]);
  expect(reads).toBeLessThan(20);
});
