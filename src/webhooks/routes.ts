import { createRouter } from "../platform/http/router";
import { deliveryRoutes } from "./deliveries/routes";
import { subscriptionRoutes } from "./subscriptions/routes";

export const webhookRoutes = createRouter();
webhookRoutes.route("/", subscriptionRoutes);
webhookRoutes.route("/", deliveryRoutes);
