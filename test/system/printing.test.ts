import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { localSecrets } from "../../scripts/secrets.mjs";
import { freePort } from "../../scripts/service/options.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { Canary } from "./support/printing/canary";
import { LoggedBrowsers } from "./support/printing/logged-browsers";
import { CSS_WAYS, HTML_WAYS, pictureOf, SVG_WAYS, WAYS_ALONE, writeWays } from "./support/printing/ways-out";

let browsers: LoggedBrowsers;
let canary: Canary;
let service: Awaited<ReturnType<typeof serve>>;

/** The printer of the service, in a separate Worker, with browsers that record all their network traffic. */
async function start() {
  return serve({
    port: await freePort(),
    stateDir: browsers.folder,
    secretsFile: localSecrets(browsers.folder),
    config: "test/system/support/printing/wrangler.toml",
    environment: { XDG_CACHE_HOME: browsers.cacheHome },
  });
}

beforeAll(async () => {
  browsers = await LoggedBrowsers.link();
  canary = await Canary.start();
  service = await start();
});

afterAll(async () => {
  await service?.stop();
  canary?.stop();
  browsers?.remove();
});

async function print(html: string, deadlineMs = 150_000): Promise<string> {
  const response = await fetch(`${service.url}/guarded?deadline=${deadlineMs}`, { method: "POST", body: html });
  return response.ok ? (await response.text()).slice(0, 5) : response.text();
}

/** `all` in groups of `size`. */
const grouped = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

/** HTML attacks that can share a page. */
const TOGETHER = 6;

/**
 * Pages with every attack in all the places where it fits. An attack that would hide another attack has its own page. The other
 * attacks share some pages.
 */
function pages(place: string): { name: string; html: string }[] {
  const { outside } = canary;
  const page = (head: string, body: string) =>
    `<!doctype html><html><head><title>x</title>${head}</head><body class="a"><p class="a">x</p><div>y</div><ul><li>z</ul><h1>w</h1>${body}`;
  const write = (ways: Parameters<typeof writeWays>[0], part: string) => writeWays(ways, `${place}/${part}`, outside);
  const nameOf = (ways: readonly { name: string }[]) => ways.map(({ name }) => name).join();
  const heads = write(HTML_WAYS, "head");
  const html = write(HTML_WAYS, "body").map(({ name, text }, at) => ({
    name,
    body: text,
    head: heads[at]?.text ?? "",
  }));
  const isAlone = ({ name }: { name: string }) => WAYS_ALONE.has(name);
  const shared = [
    ...grouped(html.filter(isAlone), 1),
    ...grouped(
      html.filter((way) => !isAlone(way)),
      TOGETHER,
    ),
  ].map((ways) => ({
    name: nameOf(ways),
    html: page(ways.map(({ head }) => head).join("\n"), ways.map(({ body }) => body).join("\n")),
  }));
  const inline = (text: string) => `<p style="${text.replaceAll('"', "'").replace(/^.*?\{|\}.*$/g, "")}">`;
  const css = grouped(write(CSS_WAYS, "css"), 5).map((ways) => ({
    name: nameOf(ways),
    html: page(
      ways.map(({ text }) => `<style>${text}</style>`).join(""),
      ways.map(({ text }) => inline(text)).join(""),
    ),
  }));
  const drawn = write(SVG_WAYS, "svg").map(({ name, text }, at) => ({
    name,
    html: text + pictureOf(write(SVG_WAYS, "picture")[at]?.text ?? ""),
  }));
  const svg = grouped(drawn, 4).map((ways) => ({
    name: nameOf(ways),
    html: page("", ways.map((way) => way.html).join("")),
  }));
  return [...shared, ...css, ...svg];
}

/** Runs `work` for each item, three at a time. */
async function onEach<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all];
  const lane = async () => {
    for (let one = left.shift(); one !== undefined; one = left.shift()) await work(one);
  };
  await Promise.all([lane(), lane(), lane()]);
}

vi.setConfig({ testTimeout: 900_000 });

test("a page cannot reach outside: no request, no connection, no look-up", async () => {
  const ways = [HTML_WAYS, CSS_WAYS, SVG_WAYS].flatMap((of) => Object.keys(of));
  expect(ways.length).toBeGreaterThan(110);
  const ends: Record<string, string> = {};
  await onEach(pages("guarded"), async ({ name, html }) => {
    ends[name] = await print(html);
  });
  // Each page is printed in spite of the attacks.
  expect(Object.entries(ends).filter(([, end]) => end !== "%PDF-")).toEqual([]);
  expect([canary.requests, canary.connections]).toEqual([[], 0]);
  const guarded = browsers.started;

  // The same pages in the same browser without the protection: the canary receives most of the attacks, one by one and
  // in parallel.
  const unguarded = pages("unguarded").map(({ html }) => html);
  const halves = [0, 1].map((half) => unguarded.filter((_, at) => at % 2 === half));
  const noticed = () => new Set(canary.requests.map((path) => path.split("/").slice(3, 4).join())).size;
  // Each page has some seconds, in which a busy machine does not run all attacks.
  for (let round = 0; round < 4 && noticed() <= 80; round++)
    await Promise.all(
      halves.map((half) => fetch(`${service.url}/unguarded`, { method: "POST", body: JSON.stringify(half) })),
    );
  expect(noticed()).toBeGreaterThan(80);
  expect(canary.connections).toBeGreaterThan(10);

  // The log of a browser is complete after its end.
  await service.stop();
  const { web, socket, domain } = canary.outside;
  const traces = (log: string) => [web, socket, domain, "/etc/passwd"].filter((trace) => log.includes(trace));
  expect(traces(browsers.logsOf(guarded))).toEqual([]);
  expect(traces(browsers.logsOf(browsers.started.filter((pid) => !guarded.includes(pid))))).toEqual([
    web,
    socket,
    domain,
  ]);
  await browsers.noneLeft();
  service = await start();
});

test("endless layouts stop at the deadline, and the printer continues", async () => {
  const use = Array.from({ length: 25 }, (_, at) => `<g id="a${at + 1}">${`<use href="#a${at}"/>`.repeat(10)}</g>`);
  const bombs = {
    columns: "<div style='columns:2'>x<p>y</p>".repeat(60),
    height: "<div style='height:30000000px'>x</div>",
    pages: "<p style='break-after:page'>x</p>".repeat(60_000),
    blur: "<div style='filter:blur(200px);width:20000px;height:20000px;background:red'>x".repeat(30),
    references: `<svg><defs><g id="a0"><rect width="1" height="1"/></g>${use.join("")}</defs><use href="#a25"/></svg>`,
    grid: `<div style='display:grid;grid-template-columns:repeat(auto-fill,1px);grid-auto-rows:1px;width:90000px'>${"<i style='grid-row:span 500;grid-column:span 500'></i>".repeat(3_000)}`,
    floats: "<div style='float:left;width:1px'>x</div>".repeat(40_000),
    word: `<p style='hyphens:auto' lang=en>${"a".repeat(8_000_000)}`,
  };
  const ends: Record<string, string> = {};
  await onEach(Object.entries(bombs), async ([name, html]) => {
    ends[name] = await print(html, 2_000);
  });
  const expected = Object.keys(bombs).map((name) => [name, expect.stringMatching(/^print-(deadline|crashed)$/)]);
  expect(ends).toEqual(Object.fromEntries(expected));
  expect(await print("<p>The next.")).toBe("%PDF-");
});

test("a service that is killed leaves no browser", async () => {
  expect(await print("<p>One.")).toBe("%PDF-");
  expect(browsers.living).not.toEqual([]);
  await service.kill();
  await browsers.noneLeft();
});
