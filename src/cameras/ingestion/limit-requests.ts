import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "../../platform/context";
import { InstanceLimiter } from "../../platform/http/rate";
import { MINUTE } from "../../platform/time";
import { forDevices, requireDevice } from "../pairing";
import { REQUESTS_A_MINUTE } from "./limits";

const limiter = new InstanceLimiter({ limit: REQUESTS_A_MINUTE, windowMs: MINUTE });

const limitRequests: MiddlewareHandler<AppEnv> = async (c, next) => {
  const context = c.get("context");
  limiter.take(requireDevice(context).credentialId, context.now);
  await next();
};

type Handlers = [MiddlewareHandler<AppEnv>, MiddlewareHandler<AppEnv>];

/** Spread into a route that devices call: their own credential, and no more requests of one than its limit. */
export const forLimitedDevices = { ...forDevices, middleware: [forDevices.middleware, limitRequests] as Handlers };
