import { cameraIngestionRoutes } from "./camera-ingestion";
import { describeRoutes } from "./suite";

describeRoutes(cameraIngestionRoutes);
