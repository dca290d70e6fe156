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
  router.openapi = (route, ...handlers) => openapi(withStrictQuery(placed(route)), ...handlers);
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

/**
 * Makes a function that declares routes, with what they share: their tag, the guard of who may call them, and their placement.
 * Each route also answers with a problem.
 */
export const routeOf =
  (shared: Pick<RouteConfig, "tags" | "security" | "middleware"> & { placed?: Placement }) =>
  <P extends string, const R extends Omit<RouteConfig, "path"> & { path: P; placed?: Placement }>(route: R) =>
    createRoute({ ...shared, ...route, responses: { ...route.responses, ...problems } });

/** The security of routes for signed-in people, with its guard, for `routeOf`. */
export const securedBy = (guard: MiddlewareHandler<AppEnv>) => ({
  security: [{ bearer: [] }],
  middleware: guard,
});
