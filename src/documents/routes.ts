import { createRouter } from "../platform/http/router";
import { grantRoutesOf } from "../workspace";
import { downloadRoutes } from "./downloads/routes";
import { libraryRoutes } from "./library/routes";
import { SHAREABLE_DOCUMENTS } from "./sharing";
import { documentUploadRoutes } from "./uploads/routes";
import { versionRoutes } from "./versions/routes";

export const documentRoutes = createRouter();

const documentGrantRoutes = grantRoutesOf(SHAREABLE_DOCUMENTS, "/v1/documents/{documentId}", "documentId");

for (const routes of [libraryRoutes, documentUploadRoutes, versionRoutes, downloadRoutes, documentGrantRoutes])
  documentRoutes.route("/", routes);
