import { expect, test } from "vitest";
import { pastedFiles } from "../../web/console/src/documents/pasted.ts";

test("a picture of the clipboard has the time as its name, and a copied file keeps its own", () => {
  const now = new Date(2026, 10, 29, 9, 5, 7);
  const files = [new File(["a"], "image.png"), new File(["b"], "plan.pdf"), new File(["c"], "image.final.png")];
  const pasted = pastedFiles(files, "plans", now);
  expect(pasted.map(({ path, fileName }) => [path, fileName])).toEqual([
    ["plans", "2026-11-29 09.05.07.png"],
    ["plans", undefined],
    ["plans", undefined],
  ]);
});
