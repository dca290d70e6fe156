import { createRoute, OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../context";
import { DomainError, type FieldError } from "../errors";
import { correctFields, problemSchema } from "./problem";

/** The errors of zod as the API shows them, 50 at most. */
const fieldErrors = (error: z.ZodError): FieldError[] =>
  error.issues.slice(0, 50).map((issue) => ({ path: issue.path.join("."), message: issue.message }));

/** Refuses unknown query fields, as bodies do. Otherwise a misspelt filter would return everything. */
function withStrictQuery<R extends RouteConfig>(route: R): R {
  const query = route.request?.query ?? z.object({});
  if (!(query instanceof z.ZodObject)) throw new Error(`the query of ${route.path} is not an object`);
  return { ...route, request: { ...route.request, query: query.strict() } };
}

/**
 * Where an operation names the workspace in whose database it runs. `path`: by the first id of its path. `fields`: by the first of
 * these fields of its query or body that has an id; without one, `personal` is the personal workspace of the caller. `each`: by an
 * id that says nothing, so it is tried in one database of the caller after the other. `none`: it concerns no single workspace, or
 * finds the database itself. Only a service with several databases reads it.
 */
export type Placement = "path" | "each" | "none" | { fields: readonly string[]; otherwise?: "personal" };

/** Placements of the operations, by method and path as the router has them. */
const placements = new Map<string, Placement>();
const operation = (method: string, path: string): string => `${method.toUpperCase()} ${path}`;

/** The placement of an operation; undefined for what is no operation of the API. @param path with parameters such as `:id` */
export const placementOf = (method: string, path: string): Placement | undefined =>
  placements.get(operation(method === "HEAD" ? "GET" : method, path));

/** Notes the placement of a route. A path with an id names it, unless the route says something else. @returns the route without it */
function placed<R extends RouteConfig & { placed?: Placement }>({ placed, ...route }: R) {
  const { method, path } = route as RouteConfig;
  const named = placed ?? (path.includes("{") || !path.startsWith("/v1/") ? "path" : null);
  if (named === null) throw new Error(`${method} ${path} does not say where it is placed`);
  placements.set(operation(method, path.replaceAll(/\/\{(.+?)\}/g, "/:$1")), named);
  return route as unknown as R;
}

/** Seconds after which a client asks again for something that is being made. */
export const FOLLOW_AFTER_SECONDS = 2;

const textFields = z.record(z.string(), z.unknown());

/** The path of what an operation makes: one, or one for each status. */
type Located = string | Readonly<Record<201 | 202, string>>;

/**
 * Names the address of what an operation made, in `Location` (RFC 9110, section 10.2.2), and in `Retry-After` of a 202 the
 * time after which a client asks there.
 * @param located the path of the GET, with a query if it needs one; its parameters are fields of the answer, or parameters of the
 *   operation itself
 */
const naming =
  (located: Located): MiddlewareHandler<AppEnv> =>
  async (c, next) => {
    await next();
    const { status } = c.res;
    if (status !== 201 && status !== 202) return;
    const template = typeof located === "string" ? located : located[status];
    const fields = template.includes("{") ? textFields.parse(await c.res.clone().json()) : {};
    const given: Record<string, string> = { ...c.req.query(), ...c.req.param() };
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = fields[name] ?? given[name]?.toLowerCase();
      if (typeof value !== "string") throw new Error(`${template} names ${name}, which the answer does not have`);
      return encodeURIComponent(value);
    });
    c.header("location", path);
    if (status === 202 && c.res.headers.get("retry-after") === null)
      c.header("retry-after", String(FOLLOW_AFTER_SECONDS));
  };

const HEADERS = {
  201: z.object({ Location: z.string().openapi({ description: "The path of the new resource." }) }),
  202: z.object({
    Location: z.string().openapi({ description: "The path where you follow the work." }),
    "Retry-After": z.string().openapi({ description: "Seconds after which you ask there." }),
  }),
};

/** Adds `Location` to the answers of a route that has a `locates`, and to their description. @returns the route without it */
function located<R extends RouteConfig & { locates?: Located }>({ locates, ...route }: R) {
  if (locates === undefined) return route as unknown as R;
  const { middleware = [], responses } = route as RouteConfig;
  const described = Object.entries(responses).map(([status, answer]) => {
    const headers = HEADERS[Number(status) as 201 | 202];
    return [status, headers === undefined ? answer : { ...answer, headers }] as const;
  });
  return {
    ...route,
    middleware: [...(Array.isArray(middleware) ? middleware : [middleware]), naming(locates)],
    responses: Object.fromEntries(described),
  } as unknown as R;
}

/** When an operation was deprecated, when it ends, and a page that tells what to use instead. The dates are ISO 8601 days. */
export interface Retirement {
  since: string;
  end: string;
  link: string;
}

/** Announces the end of a route in each answer (RFC 9745 and RFC 8594), and in its description. @returns the route without it */
function retiring<R extends RouteConfig & { retires?: Retirement }>({ retires, ...route }: R) {
  if (retires === undefined) return route as unknown as R;
  const { middleware = [] } = route as RouteConfig;
  const announce: MiddlewareHandler<AppEnv> = async (c, next) => {
    await next();
    c.res.headers.set("deprecation", `@${Date.parse(retires.since) / 1_000}`);
    c.res.headers.set("sunset", new Date(retires.end).toUTCString());
    c.res.headers.append("link", `<${retires.link}>; rel="deprecation"`);
  };
  return {
    ...route,
    deprecated: true,
    middleware: [announce, ...(Array.isArray(middleware) ? middleware : [middleware])],
  } as unknown as R;
}

/** Creates a router that validates requests with the schemas of its routes. An invalid request gets a 400 problem. */
export function createRouter(): OpenAPIHono<AppEnv> {
  const router = new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (result.success) return;
      const errors = fieldErrors(result.error);
      throw new DomainError("validation-failed", correctFields(errors), { errors });
    },
  });
  const { openapi } = router;
  router.openapi = (route, ...handlers) => openapi(withStrictQuery(retiring(located(placed(route)))), ...handlers);
  return router;
}

/** A required JSON request body. */
export const jsonBody = <T extends z.ZodType>(schema: T) =>
  ({ required: true, content: { "application/json": { schema } } }) as const;

/** A JSON answer. */
export const json = <T extends z.ZodType>(schema: T, description: string) =>
  ({ description, content: { "application/json": { schema } } }) as const;

/** A named schema or null. With `.nullable()`, the API description would lose the null. */
export const orNull = <T extends z.ZodType>(schema: T) => z.union([schema, z.null()]);

export const noContent = { description: "Done. The answer has no body." } as const;

/** The error answers of every route. */
const problems = {
  default: { description: "A problem", content: { "application/problem+json": { schema: problemSchema } } },
} as const;

interface RouteExtras {
  placed?: Placement;
  /** The path of what the route makes, such as `/v1/tags/{id}`, or one path for each status. */
  locates?: Located;
  retires?: Retirement;
}

/**
 * Makes a function that declares routes, with what they share: their tag, the guard of who may call them, and their placement.
 * Each route also answers with a problem.
 */
export const routeOf =
  (shared: Pick<RouteConfig, "tags" | "security" | "middleware"> & { placed?: Placement }) =>
  <P extends string, const R extends Omit<RouteConfig, "path"> & { path: P } & RouteExtras>(route: R) =>
    createRoute({ ...shared, ...route, responses: { ...route.responses, ...problems } });

/** The security of routes for signed-in people, with its guard, for `routeOf`. */
export const securedBy = (guard: MiddlewareHandler<AppEnv>) => ({
  security: [{ bearer: [] }],
  middleware: guard,
});
