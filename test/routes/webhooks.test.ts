import { describeRoutes } from "./suite";
import { webhookRoutes } from "./webhooks";

describeRoutes(webhookRoutes);
