import { documentRoutes } from "./documents";
import { describeRoutes } from "./suite";

describeRoutes(documentRoutes);
