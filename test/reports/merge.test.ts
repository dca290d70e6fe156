import { describe, expect, test } from "vitest";
import * as Y from "yjs";
import { applyMoves, patchMap } from "../../src/reports/room/shared-json";
import fc from "../support/properties";

const leaf = fc.oneof(fc.string({ maxLength: 12, unit: "grapheme" }), fc.integer(), fc.boolean(), fc.constant(null));
const key = fc.constantFrom("a", "b", "c", "body", "rows");
const json = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie("value"), { maxLength: 4 }), tie("object")),
  object: fc.dictionary(key, tie("value"), { maxKeys: 4 }),
})).object as fc.Arbitrary<Record<string, unknown>>;
const bodies = [null, ["body"], ["a", "body"], ["rows", "0", "body"]] as const;
const body = fc.constantFrom(...bodies);

const saying = (content: Record<string, unknown>, path: readonly string[] | null): Y.Doc => {
  const doc = new Y.Doc();
  patchMap(doc.getMap("report"), content, path);
  return doc;
};
const said = (doc: Y.Doc): unknown => doc.getMap("report").toJSON();

describe("a patch", () => {
  test("changes a shared draft into any other", () => {
    fc.assert(
      fc.property(json, json, body, (before, after, path) => {
        const doc = saying(before, path);
        expect(said(doc)).toEqual(before);
        patchMap(doc.getMap("report"), after, path);
        expect(said(doc)).toEqual(after);
      }),
      { numRuns: 500 },
    );
  });

  test("of an equal draft changes nothing", () => {
    fc.assert(
      fc.property(json, body, (content, path) => {
        const doc = saying(content, path);
        const before = Y.encodeStateVector(doc);
        patchMap(doc.getMap("report"), structuredClone(content), path);
        expect(Y.encodeStateVector(doc)).toEqual(before);
      }),
      { numRuns: 300 },
    );
  });

  test("keeps concurrent edits in the same text", () => {
    const words = fc.array(fc.constantFrom("alpha", "beta", "gamma 🏗️", "delta"), { minLength: 2, maxLength: 8 });
    fc.assert(
      fc.property(words, fc.nat(), fc.nat(), (text, cut, at) => {
        const doc = saying({ body: text.join(" ") }, ["body"]);
        const fork = new Y.Doc();
        Y.applyUpdate(fork, Y.encodeStateAsUpdate(doc));
        const without = text.filter((_, n) => n !== cut % text.length).join(" ");
        patchMap(fork.getMap("report"), { body: without }, ["body"]);
        const shared = doc.getMap("report").get("body") as Y.Text;
        // At either end: the items between belong to the deletion of the other edit.
        const place = at % 2 === 0 ? 0 : shared.length;
        shared.insert(place, "<typed>");
        Y.applyUpdate(doc, Y.encodeStateAsUpdate(fork));
        const merged = shared.toString();
        expect(merged.replace("<typed>", "")).toBe(without);
        expect(merged).toContain("<typed>");
      }),
      { numRuns: 200 },
    );
  });

  test("changes one item of a list in place", () => {
    const doc = saying(
      {
        rows: [
          { name: "a", done: false },
          { name: "b", done: false },
        ],
      },
      null,
    );
    const rows = doc.getMap("report").get("rows") as Y.Array<Y.Map<unknown>>;
    const second = rows.get(1);
    patchMap(
      doc.getMap("report"),
      {
        rows: [
          { name: "a", done: false },
          { name: "b", done: true },
        ],
      },
      null,
    );
    expect(rows.get(1)).toBe(second);
    expect(second.get("done")).toBe(true);
  });

  test.each([null, ["rows", "0", "title"]])("keeps what others type in an item that it moves (body: %j)", (path) => {
    const row = fc.record({ state: fc.constantFrom("open", "closed"), note: fc.constantFrom("", "wet") });
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 2, maxLength: 6 }),
        fc.nat(),
        fc.array(fc.nat(), { maxLength: 4 }),
        (all, at, moves) => {
          const rows = all.map((one, n) => ({ title: `Item ${n}`, ...one }));
          const doc = saying({ rows }, path);
          const settled = new Y.Doc();
          Y.applyUpdate(settled, Y.encodeStateAsUpdate(doc));
          const known = Y.encodeStateVector(settled);
          // Somebody types into one item, while another person stores the list in another order.
          const typed = at % rows.length;
          const list = doc.getMap("report").get("rows") as Y.Array<Y.Map<unknown>>;
          list.get(typed).set("note", "typed");
          const sorted = [...rows];
          for (const n of moves) sorted.push(...sorted.splice(n % sorted.length, 1));
          const edit = patchMap(settled.getMap("report"), { rows: sorted }, path);
          const update = Y.encodeStateAsUpdate(settled, known);
          applyMoves(doc, update, edit, path, { update: "row", taken: "taken" });
          const wanted = sorted.map((one) => (one.title === `Item ${typed}` ? { ...one, note: "typed" } : one));
          expect(said(doc)).toEqual({ rows: wanted });
        },
      ),
      { numRuns: 200 },
    );
  });
});
