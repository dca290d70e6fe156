import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { DRAFT_LIMITS } from "../../../src/reports/limits";
import { mintMember } from "../../support/factories";
import { eventually } from "../../support/patience";
import { bodyOf, join, newReportSite, type Participant, reportRow } from "../../support/rooms";

/* The allowed content of a shared draft: one map of JSON values with one plain text, and nothing else. */

const roomOf = (reportId: string) => env.REPORT_ROOM.getByName(reportId);
const historyOf = (reportId: string) => runInDurableObject(roomOf(reportId), (room) => room.draft.bytes);

/** Two users in one room: the second one must not suffer from an error of the first one. */
async function twoIn(contentJson: Record<string, unknown>) {
  const site = await newReportSite(contentJson);
  const member = await mintMember(site.organizationId);
  const [eve, ada] = [await join(member.token, site.reportId), await join(site.owner.token, site.reportId)];
  return { ...site, member, eve, ada };
}

interface Breach {
  rule: string;
  breaks(eve: Participant): void;
}

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

const BREACHES: readonly Breach[] = [
  { rule: "other-root", breaks: ({ doc }) => doc.getText("elsewhere").insert(0, "x".repeat(1_000)) },
  { rule: "other-root", breaks: ({ doc }) => doc.getMap("settings").set("theme", new Y.Map([["dark", true]])) },
  { rule: "xml", breaks: ({ doc }) => doc.getXmlFragment("prosemirror").push([new Y.XmlElement("p")]) },
  { rule: "xml", breaks: ({ map }) => map.set("note", new Y.XmlFragment()) },
  { rule: "xml", breaks: ({ map }) => (map.get("items") as Y.Array<unknown>).push([new Y.XmlText("x")]) },
  { rule: "formatted-text", breaks: (eve) => bodyOf(eve).format(0, 3, { bold: true }) },
  { rule: "formatted-text", breaks: (eve) => bodyOf(eve).setAttribute("indent", 2) },
  { rule: "embed", breaks: (eve) => bodyOf(eve).insertEmbed(2, { image: "data:" }) },
  { rule: "body-replaced", breaks: ({ map }) => map.set("body", "a string") },
  { rule: "body-replaced", breaks: ({ map }) => map.set("body", new Y.Map()) },
  { rule: "body-replaced", breaks: ({ map }) => map.delete("body") },
  { rule: "text-elsewhere", breaks: ({ map }) => map.set("note", new Y.Text("before")) },
  { rule: "not-json", breaks: ({ map }) => map.set("note", new Uint8Array([1, 2])) },
  { rule: "not-json", breaks: ({ map }) => map.set("note", 10n) },
  { rule: "not-json", breaks: ({ map }) => map.set("note", new Y.Doc()) },
  { rule: "not-a-draft", breaks: ({ map }) => map.set("blob", "x".repeat(1_000_001)) },
  { rule: "not-a-draft", breaks: ({ map }) => map.set("prototype", 1) },
  { rule: "not-a-draft", breaks: ({ map }) => map.set("note", { inner: [{ prototype: 1 }] }) },
  { rule: "not-a-draft", breaks: ({ map }) => map.set("note", nested(DRAFT_LIMITS.maxDepth)) },
];

describe("content outside the shape is removed, and its writer gets the rule", () => {
  test.each(BREACHES.map((breach, n) => ({ n, ...breach })))("$rule ($n)", async ({ rule, breaks }) => {
    const said = { body: "Hello", items: [1], note: "before" };
    const { eve, ada, reportId } = await twoIn(said);
    breaks(eve);
    eve.map.set("kept", "too");
    bodyOf(ada).insert(5, " world");
    await eventually(() =>
      expect(eve.told.map((text) => text.split(":")[0])).toContain(
        rule === "xml" && eve.doc.share.has("prosemirror") ? "other-root" : rule,
      ),
    );
    bodyOf(ada).insert(0, "> ");
    const last = bodyOf(ada).toString();
    const all = { ...said, body: last, kept: "too" };
    await eventually(async () => expect((await reportRow(reportId)).contentJson).toEqual(all));
    await eventually(() => {
      expect(eve.map.toJSON()).toEqual(all);
      expect(ada.map.toJSON()).toEqual(all);
    });
    expect(last).toContain("Hello");
    expect(bodyOf(ada).toDelta()).toEqual([{ insert: last }]);
    expect(bodyOf(eve).toDelta()).toEqual([{ insert: last }]);
    for (const { doc } of [eve, ada])
      for (const [name, root] of doc.share)
        if (name !== "report") expect([...Y.getTypeChildren(root)].filter((item) => !item.deleted)).toEqual([]);
    expect([ada.told, ada.closed, eve.closed]).toEqual([[], [], []]);
  });
});

test("a skeleton without its body's string gets an empty text, at any depth, and no revision for it", async () => {
  for (const skeleton of [{}, { body: null, items: [] }]) {
    const { owner, reportId } = await newReportSite(skeleton);
    const ada = await join(owner.token, reportId);
    expect(bodyOf(ada).toString()).toBe("");
    expect((await reportRow(reportId)).revision).toBe(1);
    bodyOf(ada).insert(0, "begun");
    await eventually(async () => expect((await reportRow(reportId)).contentJson).toMatchObject({ body: "begun" }));
  }
});

test("the text of a body stays unchanged, even after hibernation of the room", async () => {
  const { eve, ada, reportId } = await twoIn({ body: "Hello" });
  await eventually(() => expect(ada.map.toJSON()).toEqual({ body: "Hello" }));
  eve.provider.disconnect();
  ada.provider.disconnect();
  await evictDurableObject(roomOf(reportId));
  eve.provider.connect();
  ada.provider.connect();
  await eventually(() => expect([eve.provider.synced, ada.provider.synced]).toEqual([true, true]));
  eve.map.set("body", "erased");
  await eventually(() => expect(bodyOf(ada).toString()).toBe("Hello"));
  await eventually(() => expect(bodyOf(eve).toString()).toBe("Hello"));
});

test("the deleted text of one writer leaves space for the others", async () => {
  const { owner, eve, ada, reportId } = await twoIn({ body: "Hello" });
  for (let n = 0; n < 9 && eve.closed.length === 0; n++) {
    const before = await historyOf(reportId);
    // The name of a deleted field stays in the history, which grows, but not in the draft.
    eve.doc.transact(() => {
      for (let k = 0; k < 10_000; k++) {
        const name = `${n} ${k} `.padEnd(200, "x");
        eve.map.set(name, 1);
        eve.map.delete(name);
      }
    });
    await eventually(async () => expect(eve.closed.length > 0 || (await historyOf(reportId)) > before).toBe(true));
  }
  expect(eve.closed).toEqual([4413]);
  bodyOf(ada).insert(5, " world");
  await eventually(async () => expect((await reportRow(reportId)).contentJson).toEqual({ body: "Hello world" }));
  expect(ada.closed).toEqual([]);
  const late = await join(owner.token, reportId);
  expect(bodyOf(late).toString()).toBe("Hello world");
});

test("a key that is too long closes the connection of its sender, and is not stored", async () => {
  const { eve, ada, reportId } = await twoIn({ body: "Hello" });
  const before = await historyOf(reportId);
  eve.doc.getMap("x".repeat(1_000)).set("x", 1);
  await eventually(() => expect(eve.closed).toEqual([4413]));
  expect(await historyOf(reportId)).toBe(before);
  expect(ada.closed).toEqual([]);
});
