import { cameraManagementRoutes } from "./camera-management";
import { describeRoutes } from "./suite";

describeRoutes(cameraManagementRoutes);
