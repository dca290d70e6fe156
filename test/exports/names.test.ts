import { expect, test } from "vitest";
import * as limits from "../../src/exports/limits";
import { foldersOf, Namesakes, pathIn, safeFolder } from "../../src/exports/prepare/names";
import { safeName } from "../../src/platform/file-names";
import { newId } from "../../src/platform/ids";
import fc from "../support/properties";

const id = newId();
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;
const REFUSED = new RegExp(`[<>:"|?*\\\\/${String.fromCharCode(0)}-${String.fromCharCode(31)}]|[. ]$|^ |^\\.\\.?$`);
const anyName = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 120 }),
  fc.constantFrom("con", "NUL.txt", "COM1", "a:b", "..", ".", " ", "x. ", "a\u0000b", "🧭".repeat(90), "é".repeat(200)),
);

test("every name can be saved on Windows, macOS and Linux, and stays as it is the second time", () => {
  fc.assert(
    fc.property(anyName, (name) => {
      const safe = safeName(name, limits.MAX_EXPORTED_NAME_LENGTH);
      expect(safe.length).toBeGreaterThan(0);
      expect(safe.length).toBeLessThanOrEqual(limits.MAX_EXPORTED_NAME_LENGTH);
      expect(new TextEncoder().encode(safe).length).toBeLessThanOrEqual(255);
      expect(safe).not.toMatch(REFUSED);
      expect(safe).not.toMatch(RESERVED);
      expect(safe.isWellFormed()).toBe(true);
      expect(safeName(safe, limits.MAX_EXPORTED_NAME_LENGTH)).toBe(safe);
    }),
  );
});

test("folders of different resources are different, also where case does not count", () => {
  fc.assert(
    fc.property(fc.array(anyName, { maxLength: 20 }), (names) => {
      const folders = [...foldersOf(names.map((name) => ({ id: newId(), name }))).values()];
      expect(new Set(folders.map((folder) => folder.toLowerCase())).size).toBe(names.length);
    }),
  );
});

test("MAX_EXPORTED_FOLDER_LENGTH: a longer name of a folder is cut", () => {
  const kept = "f".repeat(limits.MAX_EXPORTED_FOLDER_LENGTH);
  expect([safeFolder(kept), safeFolder(`${kept}g`)]).toEqual([kept, kept]);
});

test("MAX_EXPORTED_NAME_LENGTH: a longer name is cut and keeps its ending", () => {
  const kept = `${"n".repeat(limits.MAX_EXPORTED_NAME_LENGTH - 4)}.pdf`;
  const nameOf = (fileName: string) => pathIn("f", { id, path: "", fileName }, false);
  expect([nameOf(kept), nameOf(`n${kept}`)]).toEqual([`f/${kept}`, `f/${kept}`]);
});

test("MAX_EXPORTED_PATH_LENGTH: a document of a longer path is in the folder of its location", () => {
  const pathOf = (length: number) => {
    const deep = ["a".repeat(40), "b".repeat(40), "c".repeat(40)].join("/");
    return pathIn("f", { id, path: deep, fileName: "n".repeat(length - deep.length - 3) }, false);
  };
  expect(pathOf(limits.MAX_EXPORTED_PATH_LENGTH)).toMatch(/^f\/a+\/b+\/c+\/n+$/);
  expect(pathOf(limits.MAX_EXPORTED_PATH_LENGTH + 1)).toBe(`f/${"n".repeat(96)} ~${id.slice(-12)}`);
});

test("MAX_LISTED_NAMESAKES: of more namesakes, every document counts as one", () => {
  const found = (count: number) => {
    const namesakes = new Namesakes();
    namesakes.add(Array.from({ length: count }, (_, n) => ({ id: `${n}`, path: "", fileName: n % 2 ? "A" : "a" })));
    return namesakes.found()?.length ?? null;
  };
  expect(found(limits.MAX_LISTED_NAMESAKES)).toBe(limits.MAX_LISTED_NAMESAKES);
  expect(found(limits.MAX_LISTED_NAMESAKES + 1)).toBeNull();
});
