import { describe, expect, test } from "vitest";
import {
  besideTheirFolder,
  bindingReads,
  CONSOLE,
  circles,
  directWrites,
  type Files,
  foreignImports,
  foreignParts,
  foreignWrites,
  importDensity,
  oversized,
  ownLanguages,
  RANK,
  tablesOf,
  unranked,
  upwardReads,
  vagueNames,
} from "./house";

/** A house without violations. Each test adds a seeded violation to it. */
const HOUSE: Files = {
  "platform/db/change.ts": "export const beginChange = 1;",
  "access/index.ts": 'export { levelAt } from "./permission";',
  "access/tables.ts": 'export const users = directoryTable("users", {});',
  "access/permission/index.ts": 'export { levelAt } from "./evaluate";',
  "access/permission/evaluate.ts": 'import { users } from "../tables";',
  "access/permission/load.ts": 'import { levelAt } from "./evaluate";',
  "documents/index.ts": 'export { queueExtraction } from "./extraction";',
  "documents/routes.ts": 'import { libraryRoutes } from "./library/routes";',
  "documents/tables.ts": 'export const passages = workspaceTable(\n  "passages",\n  {},\n);',
  "documents/library/routes.ts": 'import { list } from "./library";',
  "documents/library/library.ts": 'import { queueExtraction } from "../extraction";',
  "documents/extraction/index.ts": 'export { queueExtraction } from "./job";',
  "documents/extraction/job.ts": 'import { open } from "./zip/archive";',
  "documents/extraction/zip/archive.ts": "export const open = 1;",
  "search/index.ts": 'export { find } from "./find";',
  "search/tables.ts": 'export const searchEntries = workspaceTable("search_entries", {});',
  "search/find.ts": 'import { levelAt } from "../access";\nimport { passages } from "../documents/tables";',
  "cameras/index.ts": "export const cameras = 1;",
  "compose.ts": 'import { find } from "./search";\nimport { list } from "./documents/library/library";',
  "app.ts": 'import { documentRoutes } from "./documents/routes";',
};
/** A console without violations. */
const HALL: Files = {
  "platform/session.ts": "export const api = 1;",
  "platform/live/index.ts": 'export { onEvent } from "./events.ts";',
  "platform/live/events.ts": 'import { api } from "../session.ts";',
  "documents/index.ts": 'export { Content } from "./viewer/content.tsx";\nexport { DocumentsTab } from "./views.ts";',
  "documents/views.ts": 'const DocumentsTab = lazy(() => import("./tab.tsx"));',
  "documents/tab.tsx": 'import { icon } from "../../../ui/icon.tsx";\nimport { TEXT } from "#texts/documents.ts";',
  "documents/viewer/content.tsx": 'import "./viewer.css";\nimport { api } from "../../platform/session.ts";',
  "documents/viewer/passage.ts": "",
  "search/page.tsx": 'import { Content } from "../documents/index.ts";',
  "views.tsx": 'const Search = lazy(() => import("./search/page.tsx"));',
  "main.tsx": 'import { Content } from "./documents/viewer/content.tsx";',
};
const withSeed = (path: string, text: string): Files => ({ ...HOUSE, [path]: `${HOUSE[path] ?? ""}\n${text}` });

describe("a seeded violation", () => {
  test("is not found in the seeds themselves", () => {
    const rules = [foreignImports, circles, foreignWrites, upwardReads, directWrites, oversized, unranked, vagueNames];
    for (const rule of [...rules, bindingReads]) expect(rule(HOUSE)).toEqual([]);
  });

  test.each([
    ["upward", "access/x.ts", 'import { find } from "../search";', "upward or sideways"],
    ["upward, a type", "access/x.ts", 'import type { Find } from "../search";', "upward or sideways"],
    ["upward, a re-export", "access/x.ts", 'export * from "../search";', "upward or sideways"],
    ["upward, in a type", "access/x.ts", 'type Find = typeof import("../search");', "upward or sideways"],
    ["upward, on several lines", "access/x.ts", 'import {\n  find,\n} from "../search";', "upward or sideways"],
    ["sideways", "search/x.ts", 'import { cameras } from "../cameras";', "upward or sideways"],
    ["past a feature's door", "search/x.ts", 'import { list } from "../documents/library/library";', "its index.ts"],
    ["past a folder's door", "documents/library/x.ts", 'import { a } from "../extraction/job";', "through its door"],
    [
      "two folders deep",
      "documents/library/x.ts",
      'import { open } from "../extraction/zip/archive";',
      "through its door",
    ],
    [
      "past a folder's door, from above",
      "access/require.ts",
      'import { a } from "./permission/load";',
      "through its door",
    ],
    ["past the door of machinery", "access/x.ts", 'import { a } from "../platform/jpeg/scan";', "through its door"],
    [
      "routes that touch tables",
      "search/routes.ts",
      'import { searchEntries } from "./tables";',
      "do not touch tables",
    ],
    [
      "other routes that touch tables",
      "search/admin-routes.ts",
      'import { users } from "../access/tables";',
      "do not touch tables",
    ],
    ["another feature's routes", "search/x.ts", 'import { a } from "../documents/routes";', "only app.ts mounts"],
    ["routes in a verb", "documents/x.ts", 'import { a } from "./library/routes";', "routes.ts mounts"],
    ["the opener", "notifications/x.ts", 'import { openContext } from "../compose";', "the composition"],
    ["a Durable Object", "search/x.ts", 'import { HubShard } from "../durable-objects";', "the composition"],
    ["the app", "platform/http/x.ts", 'import { app } from "../../app";', "the composition"],
  ])("of imports: %s", (_, path, text, rule) => {
    const machinery = { "platform/jpeg/index.ts": "", "platform/jpeg/scan.ts": "", "platform/jpeg/frame.ts": "" };
    expect(foreignImports({ ...machinery, ...withSeed(path, text) })).toEqual([expect.stringContaining(rule)]);
  });

  test.each([
    ["upward", "documents/actions.ts", 'import { a } from "../search/page.tsx";', "upward or sideways"],
    ["upward, later", "platform/x.ts", 'const A = lazy(() => import("../search/page.tsx"));', "upward or sideways"],
    ["past a feature's door", "search/x.tsx", 'import { a } from "../documents/tab.tsx";', "its index.ts"],
    ["past a feature's door, later", "search/x.tsx", 'lazy(() => import("../documents/tab.tsx"));', "its index.ts"],
    ["into a room", "search/x.tsx", 'import { a } from "../documents/viewer/content.tsx";', "its index.ts"],
    ["styles of a room", "search/x.tsx", 'import "../documents/viewer/viewer.css";', "its index.ts"],
    ["past a folder's door", "documents/x.ts", 'import { a } from "./viewer/passage.ts";', "through its door"],
    ["past a door of the platform", "search/x.ts", 'import "../platform/live/events.ts";', "through its door"],
    ["the frame", "search/x.tsx", 'import { a } from "../views.tsx";', "the composition"],
  ])("of the console's imports: %s", (_, path, text, rule) => {
    expect(foreignImports(HALL, CONSOLE)).toEqual([]);
    expect(foreignImports({ ...HALL, [path]: text }, CONSOLE)).toEqual([expect.stringContaining(rule)]);
  });

  test("of the console's ranks: a folder that the map does not have, and a file outside of the folders", () => {
    expect(unranked({ ...HALL, "billing/page.tsx": "", "recent.ts": "" }, CONSOLE)).toEqual(["billing", "recent.ts"]);
  });

  test("of folders: a file beside the folder with the same name", () => {
    const seeded = withSeed("documents/library.ts", "");
    expect(besideTheirFolder(seeded)).toEqual(["documents/library.ts"]);
    expect(besideTheirFolder(HOUSE)).toEqual([]);
  });

  test("of imports: a comment is not an import", () => {
    expect(
      foreignImports(withSeed("access/x.ts", '// import { find } from "../search";\n/* from "../search" */')),
    ).toEqual([]);
  });

  test("a circle of two files, and one of three", () => {
    const two = { "access/a.ts": 'import "./b";', "access/b.ts": 'import type { A } from "./a";' };
    expect(circles({ ...HOUSE, ...two })).toEqual([["access/a.ts", "access/b.ts"]]);
    const three = { ...two, "access/b.ts": 'export * from "./c";', "access/c.ts": 'import { a } from "./a";' };
    expect(circles({ ...HOUSE, ...three })).toEqual([["access/a.ts", "access/b.ts", "access/c.ts"]]);
    expect(circles(withSeed("documents/extraction/job.ts", 'import { q } from ".";'))).toHaveLength(1);
    const pages = {
      "web/a.tsx": 'const View = lazy(() => import("./b.tsx"));',
      "web/b.tsx": 'import { c } from "./a.tsx";',
    };
    expect(circles(pages)).toEqual([["web/a.tsx", "web/b.tsx"]]);
  });

  test.each([
    ["drizzle", "search/x.ts", "change.add(workspace.delete(users).where(a));", "users of access"],
    [
      "drizzle on several lines",
      "search/x.ts",
      "change.add(workspace\n  .insert(\n  users\n).values(a));",
      "users of access",
    ],
    [
      "drizzle by another name",
      "search/x.ts",
      'import { users as people } from "../access/tables";\ndb.update(people)',
      "users of access",
    ],
    ["SQL", "search/x.ts", "change.add(sql`DELETE FROM users WHERE a = 1`);", "users of access"],
    ["SQL of a table's constant", "search/x.ts", `sql\`UPDATE \${passages} SET text = 1\``, "passages of documents"],
    ["SQL that replaces", "access/x.ts", "sql`INSERT OR REPLACE INTO passages (id)`", "passages of documents"],
    [
      "SQL of a table that drizzle does not have",
      "access/x.ts",
      "sql`INSERT INTO search_terms (rowid)`",
      "search_terms of search",
    ],
  ])("of a foreign write: %s", (_, path, text, found) => {
    expect(foreignWrites(withSeed(path, text))).toEqual([`${path}: ${found}`]);
  });

  test("of an owner: a table outside a tables.ts has no owner", () => {
    const seeded = withSeed("search/find.ts", 'export const t = sqliteTable("t", {});');
    expect(tablesOf(seeded).filter(({ owner }) => RANK[owner] === undefined)).toHaveLength(1);
  });

  test.each([
    ["an import", 'import { searchEntries } from "../search/tables";', "search"],
    ["a type", 'import type { passages } from "../documents/tables";', "documents"],
    ["raw SQL", "sql`SELECT 1 FROM users u JOIN passages p ON 1`", "documents"],
  ])("of reading upward: %s", (_, text, owner) => {
    expect(upwardReads(withSeed("workspace/x.ts", text))).toEqual([`workspace/x.ts: tables of ${owner}`]);
  });

  test.each([
    ["awaited", "await context.workspace.update(users).set(a);"],
    ["awaited on several lines", "await workspace\n  .insert(users)\n  .values(a)\n  .returning();"],
    ["returned by an async function", "const f = async () => (a ? null : workspace.delete(users));"],
    [
      "returned by an async function with a body",
      "\nexport async function f() {\n  return context.workspace.delete(users);\n}\n",
    ],
    ["returned by an async method", "class A {\n  async f() {\n    return this.directory.delete(users);\n  }\n}\n"],
    ["run", "workspace.update(users).set(a).run().catch(b);"],
    ["run by a promise's method", "workspace.update(users).set(a).where(eq(b, c)).then(d);"],
    ["run together with others", "await Promise.all([workspace.delete(users), workspace.delete(sessions)]);"],
    ["run in the background", "context.background(workspace.delete(users));"],
    ["raw SQL", "await workspace.run(sql`DELETE FROM users`);"],
    ["raw SQL that returns rows", "await workspace.all<Row>(sql`DELETE FROM users RETURNING id`);"],
    ["in drizzle's batch", "await workspace.batch([workspace.select().from(users), workspace.delete(users)]);"],
    ["in a batch", `const s = sql\`UPDATE \${table} SET a = 1\`;\nawait runBatch(workspace, [s]);`],
    [
      "a statement of a function",
      "const forget = (workspace: Db) => workspace.delete(users);\nawait forget(workspace);",
    ],
  ])("of a write outside beginChange: %s", (_, text) => {
    expect(directWrites(withSeed("access/x.ts", text))).toEqual(["access/x.ts"]);
  });

  test("of a write outside beginChange: a change's statement is not one", () => {
    const text =
      "const forget = (workspace: Db) => workspace.delete(users);\n" +
      "await beginChange(context).add(forget(workspace), workspace.update(users).set(a)).commit();\nawait workspace.batch([workspace.select()]);";
    expect(directWrites(withSeed("access/x.ts", text))).toEqual([]);
  });

  test("of size: 401 lines, and 27 imports", () => {
    expect(oversized(withSeed("access/x.ts", "\n".repeat(400)))).toEqual(["access/x.ts"]);
    expect(oversized(withSeed("access/x.ts", "\n".repeat(398)))).toEqual([]);
    const imports = (n: number) => Array.from({ length: n }, (_, i) => `import { a } from "p${i}";`).join("\n");
    expect(oversized(withSeed("access/x.ts", imports(27)))).toEqual(["access/x.ts"]);
    expect(oversized(withSeed("access/x.ts", imports(26)))).toEqual([]);
  });

  test("of density: more imports for the same lines", () => {
    const few = { "access/x.ts": `import { a } from "a";${"\n".repeat(99)}` };
    expect(importDensity(few)).toBe(1);
    expect(importDensity({ ...few, "access/y.ts": 'export { a } from "./x";' })).toBeGreaterThan(1.9);
  });

  test.each(["access/utils.ts", "access/helpers/token.ts", "platform/common.ts", "reports/services/print.ts"])(
    "of names: %s",
    (path) => {
      expect(vagueNames(withSeed(path, ""))).toEqual([path]);
    },
  );

  test.each([
    "count.toLocaleString();",
    "names.sort((a, b) => a.localeCompare(b));",
    "new Intl.NumberFormat().format(n);",
    'const days = Intl.DateTimeFormat("da");',
    'page.lang = "en";',
    "const tag = `en-AU`;",
    '<html lang="en">',
  ])("of languages: %s", (text) => {
    expect(ownLanguages(withSeed("search/count.ts", text), ["en"])).toEqual(["search/count.ts"]);
    expect(ownLanguages(withSeed("web/texts/en/search.ts", text), ["en"])).toEqual([]);
    expect(ownLanguages(withSeed("web/zone.ts", "Intl.DateTimeFormat().resolvedOptions().timeZone"), ["en"])).toEqual(
      [],
    );
  });

  test("of ranks: a folder of src that the map does not have", () => {
    expect(unranked(withSeed("billing/invoices.ts", ""))).toEqual(["billing"]);
  });

  test("of bindings: a verb that reads env", () => {
    expect(bindingReads(withSeed("search/find.ts", "env.DB.prepare(a);"))).toEqual([
      { file: "search/find.ts", binding: "DB" },
    ]);
  });

  test.each([
    ["the gateway imports a feature", "gateway/src/x.ts", '"../../src/cameras"', "src/cameras/index.ts"],
    ["the client imports the service", "client/src/x.ts", '"../../src/access"', "src/access/index.ts"],
    ["a page imports the service", "web/viewer/src/x.ts", '"../../../src/cameras/find.ts"', "src/cameras/find.ts"],
    ["the service imports a page", "src/hub/x.ts", '"../../web/ui/icon.tsx"', "web/ui/icon.tsx"],
    ["the service imports a test", "src/hub/x.ts", '"../../test/support/call"', "test/support/call.ts"],
    ["a page imports a script", "web/ui/x.ts", '"../../scripts/start.mjs"', "scripts/start.mjs"],
  ])("of parts: %s", (_, path, specifier, found) => {
    const whole = {
      "src/cameras/index.ts": "",
      "src/cameras/find.ts": "",
      "src/access/index.ts": "",
      "web/ui/icon.tsx": "",
      "scripts/start.mjs": "",
    };
    expect(foreignParts({ ...whole, [path]: `import { a } from ${specifier};` })).toEqual([`${path} -> ${found}`]);
  });

  test("of parts: what the gateway and the pages share with the service is allowed", () => {
    const files = {
      "src/cameras/schedule.ts": "",
      "src/platform/jpeg/index.ts": "",
      "gateway/src/x.ts":
        'import { a } from "../../src/platform/jpeg";\nimport { b } from "../../src/cameras/schedule";',
      "web/archive/x.ts": 'import { b } from "../../src/cameras/schedule.ts";',
    };
    expect(foreignParts(files)).toEqual([]);
  });
});
