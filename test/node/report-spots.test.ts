import { expect, test } from "vitest";
import * as Y from "yjs";
import { setAtSpot, spotOf } from "../../web/console/src/reports/editor/shared.ts";

/* What a person types into a row stays with the row while somebody else moves the rows of its list. */

/** Two people with the same list. Each gets the edits of the other with `meet`. */
function twoPeople(...rows: string[]) {
  const [ada, bob] = [new Y.Doc(), new Y.Doc()];
  const meet = () => {
    Y.applyUpdate(ada, Y.encodeStateAsUpdate(bob));
    Y.applyUpdate(bob, Y.encodeStateAsUpdate(ada));
  };
  ada.getArray("rows").push(rows);
  meet();
  return { ada: ada.getArray("rows"), bob: bob.getArray("rows"), meet };
}

test("a text is written to its row after somebody inserted a row above", () => {
  const { ada, bob, meet } = twoPeople("Crack", "Drain");
  const spot = spotOf(ada, 1);
  bob.insert(0, ["Fence"]);
  meet();
  expect(setAtSpot(spot, "Drain, blocked")).toBe(2);
  expect(ada.toArray()).toEqual(["Fence", "Crack", "Drain, blocked"]);
});

test("a text for a row that somebody removed is written to no other row", () => {
  const { ada, bob, meet } = twoPeople("Crack", "Drain", "Fence");
  const spot = spotOf(ada, 1);
  bob.delete(1);
  meet();
  expect(setAtSpot(spot, "Drain, blocked")).toBeNull();
  expect(ada.toArray()).toEqual(["Crack", "Fence"]);
});

test("without changes by others, a text is written where it was typed", () => {
  const { ada } = twoPeople("Crack", "Drain");
  expect(setAtSpot(spotOf(ada, 0), "Crack, wide")).toBe(0);
  expect(ada.toArray()).toEqual(["Crack, wide", "Drain"]);
});
