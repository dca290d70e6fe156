import type { Context as HonoContext } from "hono";
import type { AppEnv } from "../../platform/context";
import { IMMUTABLE, pagePolicy, serveAsset, servePage } from "../../platform/http/pages";
import { createRouter } from "../../platform/http/router";

/** The page of a share link, and its files. The token is in the fragment of the address, which browsers do not send. */
export const sharePageRoutes = createRouter();

const policy = (c: HonoContext<AppEnv>) => pagePolicy(c, { folders: ["/s/files/"], img: "blob: data:" });

sharePageRoutes.get("/s", (c) => servePage(c, "share", policy(c)));
sharePageRoutes.get("/s/files/:file{[\\w.-]+\\.(?:css|js)}", (c) =>
  serveAsset(c, `/share/files/${c.req.param("file")}`, policy(c), IMMUTABLE),
);
