import { grantRoutes } from "./grants";
import { describeRoutes } from "./suite";

describeRoutes(grantRoutes);
