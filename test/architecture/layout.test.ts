import { expect, test } from "vitest";
import wrangler from "../../wrangler.toml?raw";

const sources = import.meta.glob<string>("../../src/**/*.ts", { query: "?raw", import: "default", eager: true });

/** Lower may never import higher; equals may not import each other. */
const RANK: Readonly<Record<string, number>> = {
  platform: 0,
  access: 1,
  events: 2,
  // Workspace checks the storage before it restores something.
  uploads: 3,
  workspace: 4,
  documents: 5,
  branding: 6,
  search: 7,
  cameras: 7,
  notifications: 7,
  // Reports show camera frames.
  reports: 8,
  hub: 9,
};
/** The files that tie everything together. */
const ENTRY = new Set(["app.ts", "worker.ts", "job-handlers.ts", "compose.ts", "durable-objects.ts", "env.ts"]);

function resolve(from: string, specifier: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) part === ".." ? parts.pop() : part !== "." && parts.push(part);
  return parts.join("/");
}

function violations(files: Readonly<Record<string, string>>): string[] {
  const found: string[] = [];
  for (const [file, text] of Object.entries(files)) {
    const path = file.replace("../../src/", "");
    for (const [, specifier] of text.matchAll(/from\s+"(\.[^"]+)"/g)) {
      const target = resolve(path, specifier ?? "");
      const [a, b] = [path.split("/")[0] ?? "", target.split("/")[0] ?? ""];
      const say = (why: string) => found.push(`${path} -> ${target}: ${why}`);
      if (ENTRY.has(path) || target === "env") continue;
      if (/\/routes$/.test(target) && a !== b) say("only app.ts mounts another feature's routes");
      if (path.endsWith("routes.ts") && target.endsWith("/tables")) say("routes do not touch tables");
      if (a === b) {
        const [from, to] = [path.split("/"), target.split("/")];
        const isSibling = from.length === 3 && to.length === 3 && from[1] !== to[1];
        if (a === "cameras" && isSibling && to[2] !== "tables") say("reach a sibling through its index.ts");
        continue;
      }
      if (target.endsWith("/tables")) continue;
      if (!((RANK[b] ?? 99) < (RANK[a] ?? -1))) say("imports upward or sideways");
      else if (b !== "platform" && target.split("/").length > 1) say("enter another feature through its index.ts");
    }
  }
  return found;
}

const lines = (text: string): number => text.split("\n").length;

test("imports follow the map", () => {
  expect(Object.keys(sources).length).toBeGreaterThan(40);
  expect(violations(sources)).toEqual([]);
});

const importLines = (text: string): number =>
  [...text.matchAll(/^(?:import\b|export\b[^;(]*?\bfrom\b|\} from\b)/gm)].length;

test("one resource, one room: no file over 400 lines or 26 imports, and few imports over all", () => {
  const sizes = Object.entries(sources).map(([file, text]) => ({
    file,
    size: lines(text),
    imports: importLines(text),
  }));
  expect(sizes.filter(({ size, imports }) => size > 400 || imports > 26)).toEqual([]);
  const total = (of: "size" | "imports") => sizes.reduce((sum, each) => sum + each[of], 0);
  expect((total("imports") / total("size")) * 100).toBeLessThan(7);
  expect(sizes.length).toBeLessThan(450);
});

test("files are product nouns and verbs", () => {
  expect(
    Object.keys(sources).filter((file) => /\/(utils?|helpers?|services?|common|misc)(\/|\.ts$)/.test(file)),
  ).toEqual([]);
});

test("every folder of src has its rank", () => {
  const folders = new Set(
    Object.keys(sources).flatMap((file) => (file.split("/").length > 4 ? [file.split("/")[3] ?? ""] : [])),
  );
  expect([...folders].filter((folder) => RANK[folder] === undefined)).toEqual([]);
});

/** Files that may touch a binding: the doors, and the page that hands static files out. Everything else has the Context. */
const NAMES_BINDINGS = [
  "compose.ts",
  "worker.ts",
  "platform/http/pages.ts",
  // The hub's doors: its route and its Durable Objects reach each other.
  "hub/routes.ts",
  "reports/room/routes.ts",
  "hub/live.ts",
  "hub/location/channel.ts",
  "hub/shard/shard.ts",
  // The door to the browsers.
  "reports/printing/browsers/pool.ts",
];

test("env stops at the door, and wrangler.toml names every binding", () => {
  const used = Object.entries(sources).flatMap(([file, text]) =>
    [...text.matchAll(/\benv\.([A-Z][A-Z0-9_]*)\b/g)].map(([, binding]) => ({ file, binding })),
  );
  expect(used.length).toBeGreaterThan(3);
  expect(used.filter(({ file }) => !NAMES_BINDINGS.includes(file.replace("../../src/", "")))).toEqual([]);
  expect(used.filter(({ binding }) => !new RegExp(`"${binding}"|^${binding} =`, "m").test(wrangler))).toEqual([]);
});

test("the rule bites", () => {
  expect(violations({ "../../src/access/x.ts": 'import { a } from "../cameras";' })).toHaveLength(1);
  expect(violations({ "../../src/search/x.ts": 'import { a } from "../documents/library";' })).toHaveLength(1);
  expect(violations({ "../../src/cameras/archive/routes.ts": 'import { a } from "../tables";' })).toHaveLength(1);
  expect(violations({ "../../src/cameras/shares/links.ts": 'import { a } from "../archive/seek";' })).toHaveLength(1);
  expect(violations({ "../../src/hub/x.ts": 'import { a } from "../notifications/routes";' }).length).toBeGreaterThan(
    0,
  );
});

test("bytes become characters of the same number by `latin1`, not by a decoder that is Windows-1252", () => {
  const decoders = /TextDecoder\(\s*["'`](?:latin-?1|iso-?8859-1|l1|ascii|us-ascii)/i;
  expect(decoders.test('new TextDecoder("latin1")')).toBe(true);
  expect(Object.keys(sources).filter((file) => decoders.test(sources[file] ?? ""))).toEqual([]);
});
