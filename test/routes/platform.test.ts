import { platformRoutes } from "./platform";
import { describeRoutes } from "./suite";

describeRoutes(platformRoutes);
