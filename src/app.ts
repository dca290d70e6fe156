import { asReaderAt, authenticate, type Caller, credentialKey, credentialRefOf, inItsDatabase, isUser } from "./access";
import { accessRoutes } from "./access/routes";
import { administrationRoutes } from "./administration/routes";
import { brandingDownloads } from "./branding";
import { brandingRoutes } from "./branding/routes";
import {
  authenticateDevice,
  authenticateShare,
  captureDownloads,
  DEVICE_SCHEME,
  MADE_SHARES,
  rejectedDownloads,
} from "./cameras";
import { cameraRoutes } from "./cameras/routes";
import { openContext } from "./compose";
import { documentDownloads, SHAREABLE_DOCUMENTS } from "./documents";
import { documentRoutes } from "./documents/routes";
import { exportRoutes } from "./exports/routes";
import { changesRoutes, hubRoutes } from "./hub/routes";
import { notificationRoutes } from "./notifications/routes";
import { describeApi } from "./platform/http/description";
import { healthRoutes } from "./platform/http/health";
import {
  API_RULES,
  bodyRules,
  conditionalGet,
  crossOrigin,
  idempotency,
  MAX_JSON_BODY_BYTES,
  onError,
  rateLimitState,
  requestId,
  requestLog,
  securityHeaders,
  unmatchedRoute,
} from "./platform/http/middleware";
import { consoleRoutes, referenceRoutes, requestLanguage } from "./platform/http/pages";
import { createRouter } from "./platform/http/router";
import { objectRoutes } from "./platform/objects/endpoint";
import { MAX_REPORT_BODY_BYTES, reportRoutes, roomRoutes } from "./reports/routes";
import { searchRoutes } from "./search/routes";
import { webhookRoutes } from "./webhooks/routes";
import { allKinds, invitationRedeemer } from "./workspace";
import { workspaceRoutes } from "./workspace/routes";

export const app = createRouter();

app.onError(onError);
app.notFound(unmatchedRoute(app));

app.use(requestId, requestLog, securityHeaders, conditionalGet);
app.use(async (c, next) => {
  const origin = {
    ip: c.req.header("cf-connecting-ip") ?? "unknown",
    userAgent: (c.req.header("user-agent") ?? "").slice(0, 200),
    language: await requestLanguage(c),
  };
  const { context, bookmark } = openContext(c.env, (work) => c.executionCtx.waitUntil(work), {
    caller: { kind: "anonymous", refusal: null },
    requestId: c.get("requestId"),
    origin,
  });
  c.set("context", context);
  c.set("bookmark", bookmark);
  return next();
});
// The hub has its own protocol, so it is mounted before the rules of the API.
app.route("/", hubRoutes);
app.route("/", roomRoutes);
for (const path of ["/v1/*", "/openapi.json"]) app.use(path, crossOrigin(API_RULES));
app.use(
  "/v1/*",
  bodyRules((path) => (path.startsWith("/v1/reports/") ? MAX_REPORT_BODY_BYTES : MAX_JSON_BODY_BYTES)),
);
app.use(async (c, next) => {
  await next();
  const at = c.req.method === "GET" ? null : c.get("bookmark")();
  if (at !== null) c.res.headers.set("x-bookmark", at);
});
app.use("/v1/*", rateLimitState);
app.use("/v1/*", authenticate);
app.use(
  "/v1/*",
  inItsDatabase((request, c) => app.fetch(request, c.env, c.executionCtx)),
);
app.use("/v1/camera-ingestion/*", authenticateDevice);
app.use("/v1/shared-cameras/*", authenticateShare);

/**
 * The owner of an `Idempotency-Key`: each credential has its own keys, so a restricted one never gets the answer of
 * another.
 */
function repeatsOf(caller: Caller): string | null {
  if (isUser(caller)) return credentialKey(credentialRefOf(caller));
  if (caller.kind === "device") return `device:${caller.credentialId}`;
  return caller.kind === "share" ? `share:${caller.linkId}` : null;
}
app.use(
  "/v1/*",
  idempotency(
    ({ caller, origin }) => repeatsOf(caller) ?? (origin && `ip:${origin.ip}`),
    (request, c) => app.fetch(request, c.env, c.executionCtx),
  ),
);

app.route("/", healthRoutes);
app.route("/", referenceRoutes);
app.route("/", consoleRoutes);
app.route(
  "/",
  objectRoutes({
    asReader: asReaderAt,
    check: { ...documentDownloads, ...captureDownloads, ...rejectedDownloads, ...brandingDownloads },
  }),
);
app.route("/", accessRoutes(invitationRedeemer(allKinds([SHAREABLE_DOCUMENTS]))));
app.route("/", workspaceRoutes([SHAREABLE_DOCUMENTS], MADE_SHARES));
app.route("/", searchRoutes);
app.route("/", notificationRoutes);
app.route("/", changesRoutes);
app.route("/", documentRoutes);
app.route("/", brandingRoutes);
app.route("/", reportRoutes);
app.route("/", webhookRoutes);
app.route("/", cameraRoutes);
app.route("/", exportRoutes);
app.route("/", administrationRoutes);

app.openAPIRegistry.registerComponent("securitySchemes", "bearer", {
  type: "http",
  scheme: "bearer",
  description: "A session's access token, or a personal access token (`svcpat1.…`).",
});
app.openAPIRegistry.registerComponent("securitySchemes", "cameraShare", {
  type: "apiKey",
  in: "header",
  name: "X-Camera-Share",
  description: "The token of a camera share link (`svcshare1.…`).",
});
app.openAPIRegistry.registerComponent("securitySchemes", DEVICE_SCHEME, {
  type: "http",
  scheme: "bearer",
  description: "The credential of a camera (`svccam1.…`). It works only on the device routes.",
});
/** The API description. Each isolate composes it once, because it changes only with the code. */
let description: ReturnType<typeof describeApi> | undefined;
app.get("/openapi.json", (c) => {
  description ??= describeApi(app);
  return c.json(description);
});
