import { pagePolicy, serveAsset } from "../../platform/http/pages";
import { createRouter } from "../../platform/http/router";

/** The page of a share link. The token is in the fragment of the address, which browsers do not send. */
export const sharePageRoutes = createRouter();

const POLICY = pagePolicy("blob: data:");

sharePageRoutes.get("/s", (c) => serveAsset(c, "/share/page.html", POLICY));
sharePageRoutes.get("/s/:file{[a-z-]+\\.(?:css|js)}", (c) => serveAsset(c, `/share/${c.req.param("file")}`, POLICY));
