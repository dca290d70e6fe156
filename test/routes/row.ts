import type { CapabilityMap } from "../../src/access";
import type { World } from "./world";

/*
 * How a route is added to the suite: one row in the table of its feature (access.ts, workspace.ts, …).
 *
 *   {
 *     route: "PATCH /v1/spatial/clusters/:clusterId",           // as `app.routes` writes it
 *     who: { needs: { ClusterView: "Write" } },                 // who may call, see below
 *     request: async (world) => ({                              // a valid request on a thing of its own
 *       params: { clusterId: await mintCluster(world.tenant, named) },
 *       body: { name: "Another" },
 *     }),
 *     status: 200,                                              // what the right caller gets
 *   }
 *
 * Everything else follows from the row: every kind of caller is tried, absent and hidden things are
 * compared, and wrong input is sent. Give things that a request is on the names in `named`: the suite
 * looks for them in every refusal. A route that stands in no table fails coverage.test.ts.
 */

/** Who may call a route. */
export type Who =
  /** Everybody, with no credential. */
  | "anyone"
  /** Every signed-in person, who meets only what is theirs. */
  | "user"
  /** A person signed in with a session: no token may. */
  | "session"
  /** A platform admin, through a credential that is not narrowed. */
  | "platform-admin"
  /** A camera's own device, through its credential; the request's camera is given by its `token`. */
  | "device"
  /** A stranger with a link to cameras, in X-Camera-Share. */
  | "share"
  /** Owners and admins of the organization, with Write of OrganizationView. */
  | "organization-admin"
  /** Whoever holds all of these at the place that the request is on. */
  | { needs: CapabilityMap };

/** A request that is valid for the right caller. */
export interface Built {
  /** Values of the path's parameters; those that are ids are tried as absent, hidden and malformed. */
  params?: Record<string, string>;
  query?: string;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Bearer of the right caller, where it is not one of the world's own. */
  token?: string;
  /** Ids in the body or query that say where: they are tried as absent and hidden, too. */
  places?: string[];
}

export interface RouteRow {
  route: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;
  who: Who;
  request: (world: World) => Promise<Built> | Built;
  /** Status of the right caller's answer. */
  status: number;
  /** Set where the answer is not JSON of ours: pages, files. */
  notJson?: true;
  /** Set where the answer is a page of a list. */
  list?: true;
  /** What the right caller's request leaves in the audit trail, by the alphabet; nothing where it is not set. */
  audited?: readonly string[];
  /** Set where the request ends the very credential it is sent with, so that nobody can repeat it. */
  endsCredential?: true;
  /** Set where a POST commits nothing under its key: a repeat does no harm and gets a new answer. */
  answersAnew?: true;
  /** Set where a `user` row's body names something of the caller's own, hidden from everybody else. */
  own?: true;
}

/** Whether the request is on something that can be hidden from people who may call the route. */
export const isOnSomething = ({ route, who, own }: RouteRow): boolean =>
  who === "organization-admin" ||
  typeof who === "object" ||
  ((who === "share" || who === "device") && route.includes("/:")) ||
  ((who === "user" || who === "session") && (route.includes("/:") || own === true));

/** Whether there is anything in the request that can be malformed. */
export const takesInput = ({ route }: RouteRow): boolean => route.includes("/:") || /^(POST|PUT|PATCH) /.test(route);

/** The capabilities that are enough, under a token's ceiling; null where it is not about capabilities. */
export function capabilitiesOf({ who }: RouteRow): CapabilityMap | null {
  if (who === "organization-admin") return { OrganizationView: "Write" };
  return typeof who === "object" ? who.needs : null;
}

export const methodOf = (row: RouteRow): string => row.route.split(" ")[0] ?? "";

const isId = (value: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);

/** The ids of path parameters, by name. */
export const idsInPath = (built: Built): [name: string, id: string][] =>
  Object.entries(built.params ?? {}).filter(([, value]) => isId(value));

/** Every id that says where the request is. */
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

/** The same request with one text in the place of another, wherever it stands. */
export const replaced = (built: Built, from: string, to: string): Built =>
  JSON.parse(JSON.stringify(built).replaceAll(from, to)) as Built;
