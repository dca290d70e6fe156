import { IMMUTABLE, pagePolicy, serveAsset } from "../../platform/http/pages";
import { createRouter } from "../../platform/http/router";

/** The page of a share link, and its files. The token is in the fragment of the address, which browsers do not send. */
export const sharePageRoutes = createRouter();

const POLICY = pagePolicy("blob: data:");

sharePageRoutes.get("/s", (c) => serveAsset(c, "/share/index.html", POLICY));
sharePageRoutes.get("/s/files/:file{[\\w.-]+\\.(?:css|js)}", (c) =>
  serveAsset(c, `/share/files/${c.req.param("file")}`, POLICY, IMMUTABLE),
);
