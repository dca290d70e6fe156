import { type ChildProcess, execFile, spawn } from "node:child_process";
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { freePort } from "../../scripts/service/options.mjs";
import { linkBrowser } from "../../scripts/setup/browser.mjs";
import { ROOT } from "../../scripts/setup/project.mjs";
import { eventually, LONG_PATIENCE } from "../support/patience";
import { service, site, siteClient, useService } from "./support/desk";
import { joinSite } from "./support/running";

/*
 * The packed client in the folder of a stranger, who has its archive and the npm registry. The programs are the examples of
 * client/README.md, as they stand there.
 */

const run = promisify(execFile);

const README = readFileSync(join(ROOT, "client/README.md"), "utf8");
/** Most bytes of the packed file. The types of all paths are most of it. */
const MAX_PACKED_BYTES = 120_000;
const LIVE_CLIENT = "@microsoft/signalr";

const versions = z.object({ devDependencies: z.record(z.string(), z.string()) });

/** The programs of the page, by the heading above each. */
const examples = new Map(
  README.split(/^## /m)
    .slice(1)
    .flatMap((section): [string, string][] => {
      const code = /^```ts\n(.*?)^```$/ms.exec(section)?.[1];
      return code === undefined ? [] : [[section.slice(0, section.indexOf("\n")), code]];
    }),
);
const fileOf = (heading: string, ending: "ts" | "mjs"): string =>
  `${heading.toLowerCase().replaceAll(" ", "-")}.${ending}`;

let folder: string;
let archive: string;
const tried = new Set<string>();

useService({ settings: { WEBHOOK_LOOPBACK: "true" }, site: "entitled" }, async () => {
  await linkBrowser();
  folder = mkdtempSync(join(tmpdir(), "stranger-"));
  await run("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: join(ROOT, "client") });
  archive = readdirSync(folder).find((file) => file.endsWith(".tgz")) ?? expect.fail("nothing was packed");
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  const { devDependencies } = versions.parse(JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")));
  const quiet = ["--prefix", folder, "--prefer-offline", "--no-audit", "--no-fund", "--ignore-scripts"];
  await run("npm", ["install", ...quiet, `./${archive}`, `${LIVE_CLIENT}@${devDependencies[LIVE_CLIENT]}`], {
    cwd: folder,
  });
  for (const [heading, code] of examples)
    for (const ending of ["ts", "mjs"] as const) writeFileSync(join(folder, fileOf(heading, ending)), code);
});
beforeAll(() => expect(examples.size).toBeGreaterThanOrEqual(10));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The settings of an example: the service, the token of the site's owner, the site's location, and more. */
function settingsOf(heading: string, more: Record<string, string>) {
  tried.add(heading);
  const settings = { SERVICE_URL: service.url, SERVICE_TOKEN: site.token, LOCATION_ID: site.locationId, ...more };
  return { cwd: folder, env: { ...process.env, ...settings } };
}

/** Runs an example to its end. @returns the lines that it wrote @throws if it failed */
async function outputOf(heading: string, more: Record<string, string> = {}): Promise<string[]> {
  const { stdout } = await run(process.execPath, [fileOf(heading, "mjs")], settingsOf(heading, more));
  return stdout.split("\n").filter((line) => line !== "");
}

/** Starts an example that does not end by itself. @returns its process, and the lines that it has written so far */
function begin(heading: string, more: Record<string, string> = {}): { child: ChildProcess; lines: string[] } {
  const child = spawn(process.execPath, [fileOf(heading, "mjs")], settingsOf(heading, more));
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  let rest = "";
  child.stdout.on("data", (chunk) => {
    const parts = `${rest}${chunk}`.split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
  });
  child.stderr.on("data", (chunk) => lines.push(`error: ${chunk}`));
  return { child, lines };
}

const written = (lines: string[], text: string) =>
  eventually(() => expect(lines.join("\n")).toContain(text), LONG_PATIENCE);

const withId = z.looseObject({ id: z.string() });
const api = <T extends z.ZodType>(schema: T, method: string, path: string, body?: unknown) =>
  service.api(schema, method, path, site.token, body);
const note = (title: string) =>
  api(withId, "POST", `/v1/spatial/locations/${site.locationId}/annotations`, { kind: "note", title });

test("the package has its code, its types and its page, and is small", async () => {
  const { stdout } = await run("tar", ["tzf", join(folder, archive)]);
  const files = stdout.trim().split("\n").sort();
  expect(files.filter((file) => !/^package\/(?:dist\/\w+\.(?:js|d\.ts)|README\.md|package\.json)$/.test(file))).toEqual(
    [],
  );
  expect(files).toEqual(expect.arrayContaining(["package/README.md", "package/dist/webhooks.js"]));
  expect(statSync(join(folder, archive)).size).toBeLessThan(MAX_PACKED_BYTES);
  const scripts = files.filter((file) => file.endsWith(".js")).map((file) => file.replace(/\.js$/, ".d.ts"));
  expect(files.filter((file) => file.endsWith(".d.ts"))).toEqual(scripts);
});

test("the entry of webhooks loads nothing of the rest", () => {
  const source = readFileSync(join(folder, "node_modules/document-workspace-client/dist/webhooks.js"), "utf8");
  expect(source).not.toMatch(/\bimport\b|\brequire\(/);
});

test("the console loads neither the verification of webhooks nor repeats", () => {
  const built = join(ROOT, ".build/web/console/files");
  const scripts = readdirSync(built).filter((file) => file.endsWith(".js"));
  const having = (text: string) => scripts.filter((file) => readFileSync(join(built, file), "utf8").includes(text));
  expect(having("webhook-signature")).toEqual([]);
  // A file of its own in each language, which nothing asks for.
  expect(having("request-in-progress").filter((file) => !file.startsWith("retries-"))).toEqual([]);
});

test.each([
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
])("the examples have types: module %s, resolution %s", async (module, moduleResolution) => {
  const types = join(folder, "node_modules/@types");
  symlinkSync(join(ROOT, "node_modules/@types"), types);
  onTestFinished(() => rmSync(types));
  const options = "--strict --noEmit --target es2022 --lib es2023,dom,dom.iterable --types node".split(" ");
  const files = [...examples.keys()].map((heading) => fileOf(heading, "ts"));
  const typescript = join(ROOT, "client/node_modules/typescript/bin/tsc");
  const ways = ["--module", module, "--moduleResolution", moduleResolution];
  const found = await run(process.execPath, [typescript, ...options, ...ways, ...files], { cwd: folder }).then(
    () => "",
    (thrown: { stdout?: string }) => thrown.stdout ?? String(thrown),
  );
  expect(found).toBe("");
});

test("sign in and make a token, which then works", async () => {
  const heading = "Sign in and make a token";
  const [hello, made = ""] = await outputOf(heading, { EMAIL: site.email, PASSWORD: site.password });
  expect(hello).toBe("Hello Ada");
  const SERVICE_TOKEN = made.replace("SERVICE_TOKEN=", "");
  expect(await outputOf("List locations", { SERVICE_TOKEN })).toEqual([`${site.locationId} Quay`]);
});

test("list locations of several pages", async () => {
  const { id: clusterId } = await api(withId, "POST", "/v1/spatial/clusters", {
    organizationId: site.organizationId,
    name: "Many",
  });
  const made: string[] = [];
  for (let n = 1; n <= 101; n++) {
    const { id } = await api(withId, "POST", "/v1/spatial/locations", { clusterId, name: `Berth ${n}` });
    made.push(`${id} Berth ${n}`);
  }
  expect((await outputOf("List locations")).sort()).toEqual([`${site.locationId} Quay`, ...made].sort());
});

let documentId = "";

test("upload, search and download a document", async () => {
  const FILE = join(folder, "lighthouse.pdf");
  copyFileSync(join(ROOT, "test/fixtures/documents/report.pdf"), FILE);
  const { size } = statSync(FILE);
  const lines = await outputOf("Upload a document", { FILE });
  expect(lines.at(-2)).toBe(`${size} of ${size}`);
  documentId = lines.at(-1) ?? "";
  await eventually(async () => {
    const found = await outputOf("Search", { TERM: "sapphire lens" });
    expect(found[0]).toMatch(new RegExp(`^DocumentContent lighthouse.* ${documentId} \\d+$`));
  }, LONG_PATIENCE);
  const copy = join(folder, "copy.pdf");
  expect(await outputOf("Download a document", { DOCUMENT_ID: documentId, FILE: copy })).toEqual([]);
  expect(readFileSync(copy).equals(readFileSync(FILE))).toBe(true);
});

test("an upload that was killed goes on where it was", async () => {
  const FILE = join(folder, "survey.pdf");
  writeFileSync(FILE, Buffer.alloc(40_000_000, "%PDF survey "));
  const { child, lines } = begin("Upload a document", { FILE });
  await eventually(() => expect(lines.some((line) => /^[1-9]\d* of /.test(line))).toBe(true), LONG_PATIENCE);
  child.kill("SIGKILL");
  const again = await outputOf("Upload a document", { FILE });
  expect(again[0]).toMatch(/^[1-9]\d* of 40000000$/);
  expect(again.at(-2)).toBe("40000000 of 40000000");
});

test("print a report, and wait for its PDF", async () => {
  await api(z.unknown(), "POST", `/v1/reports/templates/organizations/${site.organizationId}`, {
    key: "round",
    displayName: "Daily round",
    contentTemplateJson: { inspector: "", notes: "# Seen\n" },
    bodyFieldPath: "notes",
  });
  const lines = await outputOf("Print a report", { TEMPLATE_KEY: "round" });
  expect(lines).toContain("done");
  const pdf = /^The PDF is document (\S+)$/.exec(lines.at(-1) ?? "")?.[1];
  const document = z.looseObject({ contentType: z.string() });
  expect(await api(document, "GET", `/v1/documents/${pdf}`)).toMatchObject({ contentType: "application/pdf" });
});

test("share a location with a person, who then finds it", async () => {
  const guest = { email: `${crypto.randomUUID()}@people.test`, password: site.password, displayName: "Grace" };
  await joinSite(service, site, { ...guest, role: "guest" });
  expect(await outputOf("Share a location", { EMAIL: guest.email })).toEqual([`${guest.email} can read the location`]);
  const [, token = ""] = await outputOf("Sign in and make a token", { EMAIL: guest.email, PASSWORD: guest.password });
  const SERVICE_TOKEN = token.replace("SERVICE_TOKEN=", "");
  expect(await outputOf("List locations", { SERVICE_TOKEN })).toEqual([`${site.locationId} Quay`]);
});

test("receive a webhook, and refuse what is not genuine", async () => {
  const PORT = String(await freePort());
  const url = `http://127.0.0.1:${PORT}/hook`;
  const { secret } = await api(
    z.looseObject({ secret: z.string() }),
    "POST",
    `/v1/orgs/${site.organizationId}/webhooks`,
    {
      name: "Archive",
      url,
      types: ["document.uploaded"],
    },
  );
  const { lines } = begin("Receive a webhook", { WEBHOOK_SECRET: secret, PORT });
  await written(lines, "Ready");
  const file = new Blob(["The tide gauge reads four metres."], { type: "text/plain" });
  await siteClient().uploadDocument({ locationId: site.locationId, file, fileName: "gauge.txt" });
  await written(lines, "gauge.txt, version 1");
  const forged = { "webhook-id": "1", "webhook-timestamp": String(Math.floor(Date.now() / 1_000)) };
  const headers = { ...forged, "webhook-signature": `v1,${Buffer.alloc(32).toString("base64")}` };
  expect((await fetch(url, { method: "POST", headers, body: "{}" })).status).toBe(400);
  await written(lines, "Refused: wrong-signature");
});

test("listen to live events, and read missed changes", async () => {
  const changes = { POSITION_FILE: join(folder, "position.txt") };
  expect(await outputOf("Read missed changes", changes)).toContain("Read the whole location");
  const { lines } = begin("Listen to live events");
  await written(lines, "Listening");
  const { id } = await note("Crack in the wall");
  await written(lines, `StateUpdated ${site.locationId}`);
  expect(lines.join("\n")).toContain(id);
  const missed = await outputOf("Read missed changes", changes);
  expect(missed.join("\n")).toMatch(new RegExp(`^StateUpdated .*${id}`, "m"));
  expect(await outputOf("Read missed changes", changes)).toEqual([]);
});

test("handle errors", async () => {
  const heading = "Handle errors";
  expect(await outputOf(heading)).toEqual(["Renamed to East pier"]);
  expect(await outputOf(heading, { LOCATION_ID: crypto.randomUUID() })).toEqual([
    "The location does not exist, or you may not see it",
  ]);
  expect(await outputOf(heading, { SERVICE_TOKEN: "svcpat1.ended" })).toEqual([
    expect.stringMatching(/^401 [a-z-]+: .+/),
  ]);
  await expect(outputOf(heading, { SERVICE_URL: `http://127.0.0.1:${await freePort()}` })).rejects.toThrow();
});

test("every example was run", () => {
  expect([...tried].sort()).toEqual([...examples.keys()].sort());
});
