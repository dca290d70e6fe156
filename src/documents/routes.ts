import { createRouter } from "../platform/http/router";
import { arrivalRoutes } from "./arrivals/routes";
import { containedRoutes } from "./contained/routes";
import { downloadRoutes } from "./downloads/routes";
import { folderRoutes } from "./folders/routes";
import { libraryRoutes } from "./library/routes";
import { recognitionRoutes } from "./recognition/routes";
import { tagRoutes } from "./tags/routes";
import { documentUploadRoutes } from "./uploads/routes";
import { versionRoutes } from "./versions/routes";

export const documentRoutes = createRouter();

for (const routes of [
  libraryRoutes,
  folderRoutes,
  documentUploadRoutes,
  versionRoutes,
  recognitionRoutes,
  downloadRoutes,
  containedRoutes,
  tagRoutes,
  arrivalRoutes,
])
  documentRoutes.route("/", routes);
