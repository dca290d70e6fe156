import type { RouteRow } from "./row";

export const platformRoutes: readonly RouteRow[] = [
  { route: "GET /healthz", who: "anyone", request: () => ({}), status: 200 },
  { route: "GET /readyz", who: "anyone", request: () => ({}), status: 200 },
  { route: "GET /openapi.json", who: "anyone", request: () => ({}), status: 200 },
  { route: "GET /", who: "anyone", request: () => ({}), status: 200, notJson: true },
  { route: "GET /password-reset", who: "anyone", request: () => ({}), status: 200, notJson: true },
  { route: "GET /invitations", who: "anyone", request: () => ({}), status: 200, notJson: true },
  {
    route: "GET /pages/:file{[a-z-]+\\.(?:css|js)}",
    who: "anyone",
    request: () => ({ params: { file: "theme.css" } }),
    status: 200,
    notJson: true,
  },
  { route: "GET /docs", who: "anyone", request: () => ({}), status: 200, notJson: true },
  {
    route: "GET /docs/:file{[a-z-]+\\.(?:css|js)}",
    who: "anyone",
    request: () => ({ params: { file: "page.css" } }),
    status: 200,
    notJson: true,
  },
];
