import { memberRoutes } from "./members";
import { describeRoutes } from "./suite";

describeRoutes(memberRoutes);
