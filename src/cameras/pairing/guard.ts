import type { MiddlewareHandler } from "hono";
import type { DeviceCaller } from "../../access";
import type { AppEnv, Context } from "../../platform/context";
import { DomainError } from "../../platform/errors";

/** Name of the security scheme in the API's description. */
export const DEVICE_SCHEME = "device";

export const credentialRevoked = (): DomainError =>
  new DomainError(
    "credential-revoked",
    "This credential was revoked. Keep the images, and pair the camera again with a new code.",
  );

/** The camera behind this call. @throws DomainError 401 unauthenticated, credential-revoked. */
export function requireDevice({ caller }: Pick<Context, "caller">): DeviceCaller {
  if (caller.kind === "device") return caller;
  throw caller.kind === "anonymous" && caller.refusal === "revoked"
    ? credentialRevoked()
    : new DomainError("unauthenticated", "Send the camera's own credential as `Authorization: Bearer svccam1.…`.");
}

const deviceGuard: MiddlewareHandler<AppEnv> = async (c, next) => {
  requireDevice(c.get("context"));
  await next();
};

/** Spread into a route that is for cameras' own devices: 401 comes before anything of the request is judged. */
export const forDevices = { security: [{ [DEVICE_SCHEME]: [] as string[] }], middleware: deviceGuard };
