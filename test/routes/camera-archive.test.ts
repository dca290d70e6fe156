import { cameraArchiveRoutes } from "./camera-archive";
import { describeRoutes } from "./suite";

describeRoutes(cameraArchiveRoutes);
