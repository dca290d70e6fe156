import type { CapabilityMap } from "../../src/access";
import type { World } from "./world";

/*
 * To add a route to the suite, add one row to the table of its feature (access.ts, workspace.ts, …).
 *
 *   {
 *     route: "PATCH /v1/spatial/clusters/:clusterId",           // as `app.routes` writes it
 *     who: { needs: { ClusterView: "Write" } },                 // who may call, see below
 *     request: async (world) => ({                              // a valid request on a new resource
 *       params: { clusterId: await mintCluster(world.tenant, named) },
 *       body: { name: "Another" },
 *     }),
 *     status: 200,                                              // the status for the right caller
 *   }
 *
 * The suite does the rest: it tries every kind of caller, compares absent with hidden resources, and sends wrong input.
 * Give the resources of a request the names in `named`: the suite searches for them in every refusal. coverage.test.ts
 * fails for a route without a row.
 */

/** The callers that a route accepts. */
export type Who =
  /** All callers, without a credential. */
  | "anyone"
  /** Every signed-in user, who sees only their own resources. */
  | "user"
  /** A user with a session. Tokens may not. */
  | "session"
  /** A user who has signed in: with a session, or with a JWT of an external issuer. Tokens may not. */
  | "sign-in"
  /** A platform administrator, with an unrestricted credential. */
  | "platform-admin"
  /** The device of a camera, with its credential. The request's `token` names the camera. */
  | "device"
  /** A person with a link to cameras, in X-Camera-Share. */
  | "share"
  /** Owners and admins of the organization, with Write of OrganizationView. */
  | "organization-admin"
  /** Callers who hold all of these levels on the resource of the request. */
  | { needs: CapabilityMap };

/** A request that is valid for the right caller. */
export interface Built {
  /** Values of the path parameters. The suite also tries ids that are absent, hidden and malformed. */
  params?: Record<string, string>;
  query?: string;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Bearer of the right caller, if it is not one of the world's callers. */
  token?: string;
  /** Ids of resources in the body or query. The suite also tries absent and hidden ones. */
  places?: string[];
}

export interface RouteRow {
  route: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;
  who: Who;
  request: (world: World) => Promise<Built> | Built;
  /** Set if the route refuses every token with a ceiling. */
  refusesCeilings?: true;
  /** Set if the suite cannot read what `Location` names, for a reason that the row says. */
  isLocationUnread?: true;
  /** Status of the right caller's answer. */
  status: number;
  /** Set if the answer is not JSON: pages, files. */
  notJson?: true;
  /** Set if a page of the service shows the answer in a frame. */
  framed?: true;
  /** Set if the answer is a page of a list. */
  list?: true;
  /** The most items of a page of this list, if it has more than others. */
  maxItems?: number;
  /** The audit actions of the right caller's request, in alphabetical order. None if it is not set. */
  audited?: readonly string[];
  /** Set if the request ends its own credential, so that it cannot be repeated. */
  endsCredential?: true;
  /** Set if the request changes no workspace although it is no GET. It is served even while its workspace moves. */
  changesNone?: true;
  /** Set if a request stores nothing under its Idempotency-Key: a repeat does no harm and gets a new answer. */
  answersAnew?: true;
  /** Set if the body of a `user` row names a resource of the caller, which is hidden from others. */
  own?: true;
}

/** Whether the request has a resource that can be hidden from callers of the route. */
export const isOnSomething = ({ route, who, own }: RouteRow): boolean =>
  who === "organization-admin" ||
  typeof who === "object" ||
  ((who === "share" || who === "device") && route.includes("/:")) ||
  ((who === "user" || who === "session" || who === "sign-in") && (route.includes("/:") || own === true));

/** Whether the request has input that can be malformed. */
export const takesInput = ({ route }: RouteRow): boolean => route.includes("/:") || /^(POST|PUT|PATCH) /.test(route);

/** The smallest ceiling of a token that is enough. Null if the route needs no capabilities. */
export function capabilitiesOf({ who }: RouteRow): CapabilityMap | null {
  if (who === "organization-admin") return { OrganizationView: "Write" };
  return typeof who === "object" ? who.needs : null;
}

export const methodOf = (row: RouteRow): string => row.route.split(" ")[0] ?? "";

const isId = (value: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);

/** The ids of path parameters, by name. */
export const idsInPath = (built: Built): [name: string, id: string][] =>
  Object.entries(built.params ?? {}).filter(([, value]) => isId(value));

/** Every id of a resource in the request. */
export const idsOf = (built: Built): string[] => [...idsInPath(built).map(([, id]) => id), ...(built.places ?? [])];

export function pathOf(row: RouteRow, built: Built): string {
  const pattern = row.route.split(" ")[1] ?? "";
  const path = pattern.replace(/:(\w+)(?:\{[^/]*\})?/g, (_, name: string) => {
    const value = built.params?.[name];
    if (value === undefined) throw new Error(`${row.route}: no value for ${name}`);
    return value;
  });
  return built.query === undefined ? path : `${path}?${built.query}`;
}

/** The same request with every occurrence of one text replaced. */
export const replaced = (built: Built, from: string, to: string): Built =>
  JSON.parse(JSON.stringify(built).replaceAll(from, to)) as Built;
