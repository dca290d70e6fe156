import { accessRoutes } from "./access";
import { describeRoutes } from "./suite";

describeRoutes(accessRoutes);
