import { pagePolicy, serveAsset } from "./assets";
import { createRouter } from "./router";

/** Small pages of the service itself: what it is, a new password, an invitation. Secrets stay in the address's fragment. */
export const pageRoutes = createRouter();

const POLICY = pagePolicy("data:");
const PAGES = { "/": "home", "/password-reset": "password-reset", "/invitations": "invitation" };

for (const [path, name] of Object.entries(PAGES))
  pageRoutes.get(path, (c) => serveAsset(c, `/pages/${name}.html`, POLICY));
pageRoutes.get("/pages/:file{[a-z-]+\\.(?:css|js)}", (c) => serveAsset(c, `/pages/${c.req.param("file")}`, POLICY));
