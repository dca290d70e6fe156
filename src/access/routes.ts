import { createRouter } from "../platform/http/router";
import type { InvitationRedeemer } from "./accounts";
import { accountRoutes } from "./accounts/routes";
import { passkeyRoutes } from "./passkeys/routes";
import { beginSecondStep } from "./second-factor";
import { secondFactorRoutes } from "./second-factor/routes";
import { dropEndedCookie } from "./sessions";
import { sessionRoutes } from "./sessions/routes";
import { tokenRoutes } from "./tokens/routes";

/** Everything under `/v1/auth`. */
export function accessRoutes(redeemer: InvitationRedeemer) {
  const routes = createRouter();
  // It is for every route under the path, the deletion of an account too, which the workspace has.
  routes.use("/v1/auth/*", dropEndedCookie);
  routes.route("/", accountRoutes(redeemer, { begin: beginSecondStep }));
  routes.route("/", sessionRoutes);
  routes.route("/", passkeyRoutes);
  routes.route("/", secondFactorRoutes);
  routes.route("/", tokenRoutes);
  return routes;
}
