import { pagePolicy, serveAsset } from "./assets";
import { createRouter } from "./router";

/** The reference page at /docs: static files beside the Worker that read /openapi.json and no other host. */
export const referenceRoutes = createRouter();

const POLICY = pagePolicy("'self' data:");

referenceRoutes.get("/docs", (c) => serveAsset(c, "/docs/page.html", POLICY));
referenceRoutes.get("/docs/:file{[a-z-]+\\.(?:css|js)}", (c) => serveAsset(c, `/docs/${c.req.param("file")}`, POLICY));
