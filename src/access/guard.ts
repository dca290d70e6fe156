import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../platform/context";
import { securedBy } from "../platform/http/router";
import { requireUser } from "./require";

const userGuard: MiddlewareHandler<AppEnv> = async (c, next) => {
  requireUser(c.get("context"));
  await next();
};

/** Spread into a route that is for signed-in people: 401 comes before anything of the request is judged. */
export const forUsers = securedBy(userGuard);
