import { searchRoutes } from "./search";
import { describeRoutes } from "./suite";

describeRoutes(searchRoutes);
