import { createRouter } from "../platform/http/router";
import { downloadRoutes } from "./downloads/routes";
import { libraryRoutes } from "./library/routes";
import { documentUploadRoutes } from "./uploads/routes";
import { versionRoutes } from "./versions/routes";

export const documentRoutes = createRouter();

for (const routes of [libraryRoutes, documentUploadRoutes, versionRoutes, downloadRoutes])
  documentRoutes.route("/", routes);
