import { createRoute, OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../context";
import { DomainError, type FieldError } from "../errors";
import { problemSchema } from "./problem";

/** The errors of zod as the API shows them, 50 at most. */
const fieldErrors = (error: z.ZodError): FieldError[] =>
  error.issues.slice(0, 50).map((issue) => ({ path: issue.path.join("."), message: issue.message }));

/** Refuses unknown query fields, as bodies do. Otherwise a misspelt filter would return everything. */
function withStrictQuery<R extends RouteConfig>(route: R): R {
  const query = route.request?.query ?? z.object({});
  if (!(query instanceof z.ZodObject)) throw new Error(`the query of ${route.path} is not an object`);
  return { ...route, request: { ...route.request, query: query.strict() } };
}

/** Creates a router that validates requests with the schemas of its routes. An invalid request gets a 400 problem. */
export function createRouter(): OpenAPIHono<AppEnv> {
  const router = new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (result.success) return;
      const errors = fieldErrors(result.error);
      const where = errors.map((e) => (e.path === "" ? e.message : `${e.path}: ${e.message}`)).slice(0, 3);
      throw new DomainError(
        "validation-failed",
        `Correct these fields and send the request again: ${where.join("; ")}.`,
        { errors },
      );
    },
  });
  const { openapi } = router;
  router.openapi = (route, ...handlers) => openapi(withStrictQuery(route), ...handlers);
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
 * Makes a function that declares routes, with what they share: their tag, and the guard of who may call them. Each route
 * also answers with a problem.
 */
export const routeOf =
  (shared: Pick<RouteConfig, "tags" | "security" | "middleware">) =>
  <P extends string, const R extends Omit<RouteConfig, "path"> & { path: P }>(route: R) =>
    createRoute({ ...shared, ...route, responses: { ...route.responses, ...problems } });

/** The security of routes for signed-in people, with its guard, for `routeOf`. */
export const securedBy = (guard: MiddlewareHandler<AppEnv>) => ({
  security: [{ bearer: [] }],
  middleware: guard,
});
