import type { Context as HonoContext } from "hono";
import { languageDetector } from "hono/language";
import type { AppEnv } from "../context";
import { DomainError } from "../errors";
import { DEFAULT_LANGUAGE, LANGUAGE_COOKIE, LANGUAGES, type ReaderLanguage } from "../languages/languages";
import { HOME, INVITATIONS, PASSWORD_RESET } from "../paths";
import { preloadsOf } from "./preloads";
import { createRouter } from "./router";

interface PageSources {
  /** The folders of the build from which the page loads scripts and styles. Files of people are on the same origin. */
  folders: readonly string[];
  /** Sources of pictures. */
  img: string;
  /** Another origin that the page sends requests to. */
  store?: string;
  /** Further directives; `built` are the sources of files of the build. */
  more?: (built: string) => readonly string[];
}

/** Content-Security-Policy of a page of the service: the scripts and styles of its build, and requests to this service. */
export function pagePolicy(c: HonoContext<AppEnv>, { folders, img, store = "", more = () => [] }: PageSources): string {
  const built = folders.map((folder) => new URL(folder, c.req.url).href).join(" ");
  return [
    "default-src 'none'",
    `script-src ${built}`,
    `style-src ${built}`,
    `img-src ${img}`,
    `connect-src 'self' ${store}`.trim(),
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    ...more(built),
  ].join("; ");
}

/** The Content-Security-Policy of a report's page: it runs nothing, loads nothing and sends nothing. */
export const REPORT_POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:; form-action 'none'; base-uri 'none'";

/** Serves a static file of the Worker's assets with a Content-Security-Policy. @throws DomainError not-found. */
export async function serveAsset(
  c: HonoContext<AppEnv>,
  path: string,
  policy: string,
  cacheControl = "no-cache",
): Promise<Response> {
  const asset = await c.env.ASSETS.fetch(new URL(path, c.req.url));
  if (asset.status !== 200) throw new DomainError("not-found", "There is no such file.");
  const headers = new Headers(asset.headers);
  headers.set("content-security-policy", policy);
  headers.set("cache-control", cacheControl);
  return new Response(asset.body, { status: 200, headers });
}

const detect = languageDetector({
  supportedLanguages: LANGUAGES,
  fallbackLanguage: DEFAULT_LANGUAGE,
  order: ["cookie", "header"],
  lookupCookie: LANGUAGE_COOKIE,
  caches: false,
});

/** The language of a request: the one chosen in the browser, else the first one that it accepts and the service has. */
export async function requestLanguage(c: HonoContext<AppEnv>): Promise<ReaderLanguage> {
  await detect(c, async () => {});
  return c.get("language") as ReaderLanguage;
}

/** Serves a page of the build in the language of the reader. */
export async function servePage(c: HonoContext<AppEnv>, page: "console" | "share", policy: string): Promise<Response> {
  const language = await requestLanguage(c);
  const response = await serveAsset(c, `/${page}/${language}.html`, policy);
  response.headers.set("content-language", language);
  if (page === "console") {
    const list = await c.env.ASSETS.fetch(new URL(`/console/${language}.json`, c.req.url));
    const preloads = preloadsOf(c.req.path, await list.json());
    if (preloads !== "") response.headers.set("link", preloads);
  }
  response.headers.append("vary", "Accept-Language, Cookie");
  return response;
}

/** The console: one page for every view, and its files. The name of a file changes with its content. */
export const consoleRoutes = createRouter();

const SERVICE_WORKER = "/console/app/worker.js";

/** The console uploads to the object store, which has another origin with `OBJECT_STORE=s3`. */
function consolePolicy(c: HonoContext<AppEnv>): string {
  const { OBJECT_STORE, S3_ENDPOINT } = c.get("context").settings;
  const store = OBJECT_STORE === "s3" && S3_ENDPOINT !== undefined ? new URL(S3_ENDPOINT).origin : "";
  // A link in a report cannot lead its frame to another page.
  const frames = `frame-src ${new URL(PREVIEW, c.req.url)}`;
  return pagePolicy(c, {
    folders: ["/console/files/", "/console/pdf/"],
    img: `'self' data: blob: ${store}`.trim(),
    store,
    more: (built) => [
      `worker-src ${built} ${new URL(SERVICE_WORKER, c.req.url)}`,
      `manifest-src ${new URL("/console/app/", c.req.url)}`,
      `font-src ${built}`,
      "media-src blob:",
      frames,
    ],
  });
}
/** For files whose names change with their content. */
export const IMMUTABLE = "public, max-age=31536000, immutable";
/** For files whose names do not change with their content. */
const DAY_LONG = "public, max-age=86400";

for (const path of ["/", "/console", "/console/"]) consoleRoutes.get(path, (c) => c.redirect(HOME));
consoleRoutes.get("/console/files/:file{[\\w.-]+\\.(?:css|js|mjs|jpg)}", (c) =>
  serveAsset(c, `/console/files/${c.req.param("file")}`, consolePolicy(c), IMMUTABLE),
);
consoleRoutes.get("/console/pdf/:folder{cmaps|standard_fonts|wasm}/:file{[\\w.-]+\\.(?:bcmap|pfb|ttf|js)}", (c) =>
  serveAsset(c, `/console/pdf/${c.req.param("folder")}/${c.req.param("file")}`, consolePolicy(c), DAY_LONG),
);
/** The page without a network has no script, and no data of a person. */
const OFFLINE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";
/** What a phone needs to install the console. The service worker handles the requests of the whole console. Browsers ask for a newer file each time. */
consoleRoutes.get("/console/app/:file{[\\w-]+\\.(?:html|js|png|webmanifest)}", async (c) => {
  const path = `/console/app/${c.req.param("file")}`;
  const isPage = path.endsWith(".html");
  const response = await serveAsset(
    c,
    path,
    isPage ? OFFLINE_POLICY : consolePolicy(c),
    path.endsWith(".png") ? DAY_LONG : "no-cache",
  );
  if (path === SERVICE_WORKER) response.headers.set("service-worker-allowed", "/console/");
  return response;
});
/** Links in e-mails lead to the last two: their secret is in the fragment of the address, which no server logs. */
const CONSOLE_PATHS = [
  "/console/:view{(?!files\\b)[a-z-]+}",
  "/console/:view{(?!files\\b)[a-z-]+}/:path{.+}",
  PASSWORD_RESET,
  INVITATIONS,
];
for (const path of CONSOLE_PATHS) consoleRoutes.get(path, (c) => servePage(c, "console", consolePolicy(c)));

/** The empty page that the console writes the page of a report into. It takes its policy and sandbox from here. */
const PREVIEW = "/pages/report-preview";
consoleRoutes.get(PREVIEW, async (c) => {
  const policy = `sandbox allow-same-origin; ${REPORT_POLICY}; frame-ancestors 'self'`;
  const page = await serveAsset(c, `${PREVIEW}.html`, policy);
  page.headers.set("x-frame-options", "SAMEORIGIN");
  return page;
});

/** The API reference at /docs: static files that read /openapi.json and call no other host. */
export const referenceRoutes = createRouter();

const referencePolicy = (c: HonoContext<AppEnv>) => pagePolicy(c, { folders: ["/docs/"], img: "'self' data:" });

referenceRoutes.get("/docs", (c) => serveAsset(c, "/docs/page.html", referencePolicy(c)));
referenceRoutes.get("/docs/:file{[a-z-]+\\.(?:css|js)}", (c) =>
  serveAsset(c, `/docs/${c.req.param("file")}`, referencePolicy(c)),
);
