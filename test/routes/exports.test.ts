import { exportRoutes } from "./exports";
import { describeRoutes } from "./suite";

describeRoutes(exportRoutes);
