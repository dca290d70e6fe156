import { call } from "../support/call";
import type { RouteRow } from "./row";

/** The console's stylesheet, whose name changes with its content. */
async function stylesheet(): Promise<string> {
  const page = await (await call("GET", "/console/search")).text();
  return /console\/files\/([\w-]+\.css)/.exec(page)?.[1] ?? "";
}

export const platformRoutes: readonly RouteRow[] = [
  { route: "GET /healthz", who: "anyone", request: () => ({}), status: 200 },
  { route: "GET /readyz", who: "anyone", request: () => ({}), status: 200 },
  { route: "GET /openapi.json", who: "anyone", request: () => ({}), status: 200 },
  { route: "GET /", who: "anyone", request: () => ({}), status: 302, notJson: true },
  { route: "GET /console", who: "anyone", request: () => ({}), status: 302, notJson: true },
  { route: "GET /console/", who: "anyone", request: () => ({}), status: 302, notJson: true },
  {
    route: "GET /console/:view{(?!files\\b)[a-z-]+}",
    who: "anyone",
    request: () => ({ params: { view: "search" } }),
    status: 200,
    notJson: true,
  },
  {
    route: "GET /console/:view{(?!files\\b)[a-z-]+}/:path{.+}",
    who: "anyone",
    request: () => ({ params: { view: "locations", path: "any/documents" } }),
    status: 200,
    notJson: true,
  },
  {
    route: "GET /console/files/:file{[\\w.-]+\\.(?:css|js|mjs|jpg)}",
    who: "anyone",
    request: async () => ({ params: { file: await stylesheet() } }),
    status: 200,
    notJson: true,
  },
  {
    route: "GET /console/app/:file{[\\w-]+\\.(?:html|js|png|webmanifest)}",
    who: "anyone",
    request: () => ({ params: { file: "en.webmanifest" } }),
    status: 200,
    notJson: true,
  },
  {
    route: "GET /console/pdf/:folder{cmaps|standard_fonts|wasm}/:file{[\\w.-]+\\.(?:bcmap|pfb|ttf|js)}",
    who: "anyone",
    request: () => ({ params: { folder: "cmaps", file: "78-H.bcmap" } }),
    status: 200,
    notJson: true,
  },
  {
    route: "GET /pages/report-preview",
    who: "anyone",
    request: () => ({}),
    status: 200,
    notJson: true,
    framed: true,
  },
  { route: "GET /password-reset", who: "anyone", request: () => ({}), status: 200, notJson: true },
  { route: "GET /invitations", who: "anyone", request: () => ({}), status: 200, notJson: true },
  { route: "GET /docs", who: "anyone", request: () => ({}), status: 200, notJson: true },
  {
    route: "GET /docs/:file{[a-z-]+\\.(?:css|js)}",
    who: "anyone",
    request: () => ({ params: { file: "page.css" } }),
    status: 200,
    notJson: true,
  },
];
