import { notificationRoutes } from "./notifications";
import { describeRoutes } from "./suite";

describeRoutes(notificationRoutes);
