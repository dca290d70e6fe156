import { createRouter } from "../platform/http/router";
import { accountRoutes } from "./accounts/routes";
import type { InvitationRedeemer } from "./accounts/sign-in";
import { sessionRoutes } from "./sessions/routes";
import { tokenRoutes } from "./tokens/routes";

/** Everything under `/v1/auth`. */
export function accessRoutes(redeemer: InvitationRedeemer) {
  const routes = createRouter();
  routes.route("/", accountRoutes(redeemer));
  routes.route("/", sessionRoutes);
  routes.route("/", tokenRoutes);
  return routes;
}
