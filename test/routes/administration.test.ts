import { administrationRoutes } from "./administration";
import { describeRoutes } from "./suite";

describeRoutes(administrationRoutes);
