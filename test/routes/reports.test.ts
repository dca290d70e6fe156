import { brandingRoutes } from "./branding";
import { reportRoutes } from "./reports";
import { describeRoutes } from "./suite";

describeRoutes([...brandingRoutes, ...reportRoutes]);
