import { describeRoutes } from "./suite";
import { workspaceRoutes } from "./workspace";

describeRoutes(workspaceRoutes);
