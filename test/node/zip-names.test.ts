import { expect, test } from "vitest";
import { namesIn } from "../../web/console/src/documents/zip-names.ts";

const at = (name: string) => {
  const end = name.lastIndexOf("/");
  return { path: name.slice(0, Math.max(end, 0)), fileName: name.slice(end + 1) };
};
const named = (folder: string, ...names: string[]) => namesIn(names.map(at), folder);

test("names in a ZIP are below the folder that is shown", () => {
  expect(named("", "a.txt", "plans/b.txt")).toEqual(["a.txt", "plans/b.txt"]);
  expect(named("plans", "plans/b.txt", "plans/2026/c.txt", "plans-old/d.txt")).toEqual([
    "b.txt",
    "2026/c.txt",
    "plans-old/d.txt",
  ]);
});

test("names that are equal on Windows or macOS get a number, and a file is never a folder", () => {
  expect(named("", "Plan.pdf", "plan.PDF", "PLAN.pdf")).toEqual(["Plan.pdf", "plan (2).PDF", "PLAN (3).pdf"]);
  expect(named("", "a:b.txt", "a?b.txt")).toEqual(["a_b.txt", "a_b (2).txt"]);
  expect(named("", "x/y.txt", "x")).toEqual(["x/y.txt", "x (2)"]);
});

test("every system can save the names, and none leads out of the folder", () => {
  expect(named("", "CON.txt", "nul", "end. ", "a|b<c>.txt", "..\\up.txt")).toEqual([
    "_CON.txt",
    "_nul",
    "end_",
    "a_b_c_.txt",
    ".._up.txt",
  ]);
});
