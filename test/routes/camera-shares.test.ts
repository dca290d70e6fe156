import { cameraShareRoutes } from "./camera-shares";
import { describeRoutes } from "./suite";

describeRoutes(cameraShareRoutes);
