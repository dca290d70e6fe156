import type { NotFoundHandler } from "hono";
import type { AppEnv } from "../context";
import { DomainError } from "../errors";
import { problemResponse } from "./problem";
import type { createRouter } from "./router";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** What is said where no route answers: which methods the address has, or that there is no such address. */
export function unrouted(app: ReturnType<typeof createRouter>): NotFoundHandler<AppEnv> {
  // Middleware stands under ALL.
  const has = (method: string, path: string): boolean =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method);
  return (c) => {
    const allow = METHODS.filter((method) => has(method, c.req.path))
      .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
      .join(", ");
    const error =
      allow === ""
        ? new DomainError("not-found", "There is no such route. /openapi.json and /docs list those that there are.")
        : new DomainError("method-not-allowed", `Here it can only be ${allow}.`, { allow });
    return problemResponse(error, c.req.path, c.get("requestId"));
  };
}
