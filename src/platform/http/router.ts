import { OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../context";
import { DomainError, type FieldError } from "../errors";
import { problemSchema } from "./problem";

/** What zod found, as the wire shows it. */
export const fieldErrors = (error: z.ZodError): FieldError[] =>
  error.issues.slice(0, 50).map((issue) => ({ path: issue.path.join("."), message: issue.message }));

/** A query field that no route knows is refused as a body's is: a misspelt filter would answer with everything. */
function withStrictQuery<R extends RouteConfig>(route: R): R {
  const query = route.request?.query ?? z.object({});
  if (!(query instanceof z.ZodObject)) throw new Error(`the query of ${route.path} is no object`);
  return { ...route, request: { ...route.request, query: query.strict() } };
}

/** A router whose requests are validated by its routes' schemas; what does not fit is a 400 problem. */
export function createRouter(): OpenAPIHono<AppEnv> {
  const router = new OpenAPIHono<AppEnv>({
    defaultHook: (result) => {
      if (result.success) return;
      const errors = fieldErrors(result.error);
      const where = errors.map((e) => (e.path === "" ? e.message : `${e.path}: ${e.message}`)).slice(0, 3);
      throw new DomainError("validation-failed", `Correct these and send it again: ${where.join("; ")}.`, { errors });
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

/** A schema with a name of its own, or null: `.nullable()` would lose the null in the description. */
export const orNull = <T extends z.ZodType>(schema: T) => z.union([schema, z.null()]);

export const noContent = { description: "Done; no body." } as const;

/** Every route's error answers. */
export const problems = {
  default: { description: "A problem", content: { "application/problem+json": { schema: problemSchema } } },
} as const;

/** Security of routes for signed-in people: spread it into the route, with the guard that goes with it. */
export const securedBy = (guard: MiddlewareHandler<AppEnv>) => ({
  security: [{ bearer: [] }],
  middleware: guard,
});
