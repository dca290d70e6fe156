import { eq } from "drizzle-orm";
import * as access from "../../src/access/limits";
import * as administration from "../../src/administration/limits";
import * as branding from "../../src/branding/limits";
import * as cameras from "../../src/cameras/limits";
import * as documents from "../../src/documents/limits";
import * as exports from "../../src/exports/limits";
import * as notifications from "../../src/notifications/limits";
import { newId } from "../../src/platform/ids";
import { MINUTE, toUtc } from "../../src/platform/time";
import * as reports from "../../src/reports/limits";
import * as uploads from "../../src/uploads/limits";
import * as webhooks from "../../src/webhooks/limits";
import * as workspace from "../../src/workspace/limits";
import { locations } from "../../src/workspace/tables";
import { call } from "../support/call";
import { mintCamera } from "../support/cameras";
import { announce as announceImage, factsOf, image, mintDevice } from "../support/device";
import { startInParts } from "../support/documents";
import { addMember, mintDocument, mintLocation, mintOrganization, mintPerson, mintPlace } from "../support/factories";
import { freshIp, mintSignedIn } from "../support/sessions";
import { mintShare, withShare } from "../support/shares";
import { testDatabase } from "../support/statements";
import { hooksPath, newReceiver } from "../support/webhooks";

/*
 * To add a limit of what a request may contain, add one row. `ask` sends a request with this length, number or size.
 * inputs.test.ts does the rest: a request at the limit is accepted, and a request beyond it is refused.
 */
export interface InputRow {
  /** The name of the constant. */
  limit: string;
  value: number;
  /** Set for a minimum: then one less is refused. */
  isMinimum?: true;
  /** Makes what the requests need. */
  ask: () => Promise<(value: number) => Promise<Response>>;
  /** The refusal, if it is not `400 validation-failed`. */
  refused?: string;
}

const letters = (count: number) => "k".repeat(count);
const ids = (count: number) => Array.from({ length: count }, newId);

/** A password of this many characters that is not common. */
const password = (count: number) => "q7!Zp0#rT9".repeat(Math.ceil(count / 10)).slice(0, count);
const register = async () => (count: number) =>
  call("POST", "/v1/auth/register", {
    body: { email: `${newId()}@people.test`, password: password(count), displayName: "Ada" },
    headers: { "cf-connecting-ip": freshIp() },
  });

const picture = { captureWidth: 1_000, captureHeight: 1_000 };
/** Creates a camera with a setting of this value. */
const newCamera =
  (settings: (value: number) => object, entitlements: object = {}) =>
  async () => {
    const { id: organizationId, owner } = await mintOrganization(entitlements);
    const { id: locationId } = await mintLocation({ organizationId });
    const path = `/v1/spatial/locations/${locationId}/cameras`;
    return (value: number) => call("POST", path, { ...owner, body: { name: "Gate", ...picture, ...settings(value) } });
  };

/** A camera, and requests of its owner to it. */
async function ownCamera() {
  const { organizationId, owner, locationId } = await mintPlace();
  const camera = await mintCamera(organizationId, locationId);
  const ask = (method: string, path: string, body?: unknown) => call(method, path, { token: owner.token, body });
  const link = (body: object) =>
    ask("POST", `/v1/spatial/locations/${locationId}/camera-shares`, { name: "Link", ...body });
  return { organizationId, locationId, camera, ask, link };
}

const range = `fromUtc=${toUtc(0)}&toUtc=${toUtc(MINUTE)}`;

/** Reads the archive of a camera. `view` ends with the parameter of the limit. */
const ofArchive = (view: string) => async () => {
  const { locationId, camera, ask } = await ownCamera();
  return (value: number) => ask("GET", `/v1/cameras/${camera.id}/${view}${value}&locationId=${locationId}`);
};

/** Creates a template of one's own with this field. */
const newTemplate = (field: (value: number) => object) => async () => {
  const { token } = await mintPerson();
  return (value: number) =>
    call("POST", "/v1/reports/templates/users/me", {
      token,
      body: { key: `t-${newId()}`, displayName: "T", htmlLayoutTemplate: "", contentTemplateJson: {}, ...field(value) },
    });
};

const nested = (depth: number): unknown => (depth <= 1 ? {} : { k: nested(depth - 1) });

const newCluster = (metadata: (value: number) => unknown) => async () => {
  const { token } = await mintPerson();
  return (value: number) =>
    call("POST", "/v1/spatial/clusters", {
      token,
      body: { name: "Yard", organizationId: null, metadata: metadata(value) },
    });
};

/** Begins the upload of a document with this name, path or size. */
const startUpload =
  (fields: (value: number) => object, route = "upload-start") =>
  async () => {
    const { id: organizationId, owner } = await mintOrganization({
      documentStorageBytes: 2 * documents.MAX_DOCUMENT_BYTES,
    });
    const { id: locationId } = await mintLocation({ organizationId });
    return (value: number) =>
      call("POST", `/v1/spatial/locations/${locationId}/documents/${route}`, {
        ...owner,
        body: {
          fileName: "a.txt",
          contentType: "text/plain",
          sizeBytes: 1,
          checksumSha256: "0".repeat(64),
          ...fields(value),
        },
      });
  };

const passcode = async () => {
  const { camera, link } = await ownCamera();
  return (count: number) => link({ cameraIds: [camera.id], passcode: password(count) });
};

export const inputRows: readonly InputRow[] = [
  { limit: "MIN_PASSWORD_LENGTH", value: access.MIN_PASSWORD_LENGTH, isMinimum: true, ask: register },
  { limit: "MAX_PASSWORD_LENGTH", value: access.MAX_PASSWORD_LENGTH, ask: register },
  {
    limit: "MAX_ORGANIZATIONS_PER_TOKEN",
    value: access.MAX_ORGANIZATIONS_PER_TOKEN,
    async ask() {
      const { userId, token } = await mintSignedIn();
      const { id } = await mintOrganization();
      await addMember(id, userId, "member");
      // One organization that is named several times is one, but the list is as long.
      return (count) =>
        call("POST", "/v1/auth/tokens", { token, body: { name: "Mine", organizationIds: Array(count).fill(id) } });
    },
  },
  {
    limit: "MAX_RERUN_JOBS",
    value: administration.MAX_RERUN_JOBS,
    async ask() {
      const { token } = await mintPerson({ isAdmin: true });
      return (count) => call("POST", "/v1/admin/jobs/rerun", { token, body: { jobIds: ids(count) } });
    },
  },
  {
    limit: "MAX_MARKED",
    value: notifications.MAX_MARKED,
    async ask() {
      const { token } = await mintPerson();
      return (count) => call("POST", "/v1/notifications/read", { token, body: { notificationIds: ids(count) } });
    },
  },
  {
    limit: "METADATA_LIMITS.maxBytes",
    value: workspace.METADATA_LIMITS.maxBytes,
    ask: newCluster((n) => ({ k: letters(n - 8) })),
  },
  { limit: "METADATA_LIMITS.maxDepth", value: workspace.METADATA_LIMITS.maxDepth, ask: newCluster(nested) },
  {
    limit: "MAX_TEMPLATE_CHARACTERS",
    value: reports.MAX_TEMPLATE_CHARACTERS,
    ask: newTemplate((n) => ({ htmlLayoutTemplate: letters(n), cssStylesheetTemplate: letters(n) })),
  },
  {
    limit: "MAX_PARTIAL_CHARACTERS",
    value: reports.MAX_PARTIAL_CHARACTERS,
    async ask() {
      const { id, owner } = await mintOrganization();
      return (n) =>
        call("PUT", `/v1/reports/partials/organizations/${id}/head`, { ...owner, body: { source: letters(n) } });
    },
  },
  {
    limit: "SKELETON_LIMITS.maxBytes",
    value: reports.SKELETON_LIMITS.maxBytes,
    ask: newTemplate((n) => ({ contentTemplateJson: { k: letters(n - 8) } })),
  },
  {
    limit: "MIN_PICTURE_EDGE",
    value: cameras.MIN_PICTURE_EDGE,
    isMinimum: true,
    ask: newCamera((n) => ({ captureWidth: n })),
  },
  {
    limit: "MAX_PICTURE_EDGE",
    value: cameras.MAX_PICTURE_EDGE,
    ask: newCamera((n) => ({ captureWidth: n, captureHeight: 100 })),
  },
  {
    limit: "MAX_PICTURE_PIXELS",
    value: cameras.MAX_PICTURE_PIXELS,
    // 24,000,000 = 6,000 × 4,000: a picture of one pixel column more is refused.
    ask: newCamera((n) => ({ captureWidth: Math.ceil(n / 4_000), captureHeight: 4_000 })),
    refused: "422 rule-violated",
  },
  {
    limit: "MAX_INTERVAL_MINUTES",
    value: cameras.MAX_INTERVAL_MINUTES,
    ask: newCamera((n) => ({ captureIntervalMinutes: n })),
  },
  {
    limit: "MAX_RETENTION_DAYS",
    value: cameras.MAX_RETENTION_DAYS,
    ask: newCamera((n) => ({ retentionDays: n }), { maxRetentionDays: cameras.MAX_RETENTION_DAYS }),
  },
  { limit: "MAX_HISTORY_PAGE_SIZE", value: cameras.MAX_HISTORY_PAGE_SIZE, ask: ofArchive("captures?limit=") },
  { limit: "MAX_FRAMES", value: cameras.MAX_FRAMES, ask: ofArchive(`frames?${range}&count=`) },
  {
    limit: "MAX_STRIP_DAYS",
    value: cameras.MAX_STRIP_DAYS,
    async ask() {
      const { locationId, camera, ask } = await ownCamera();
      const day = (n: number) => toUtc(Date.UTC(2026, 0, n)).slice(0, 10);
      return (days) =>
        ask("POST", `/v1/cameras/${camera.id}/day-strip?locationId=${locationId}`, {
          fromDate: day(1),
          toDate: day(days),
          localTime: "12:00",
        });
    },
  },
  {
    limit: "MAX_PREVIEWS",
    value: cameras.MAX_PREVIEWS,
    async ask() {
      const { locationId, camera, ask } = await ownCamera();
      return (count) =>
        ask("POST", `/v1/cameras/${camera.id}/previews?locationId=${locationId}`, {
          times: Array(count).fill(toUtc(Date.now())),
        });
    },
  },
  {
    limit: "MAX_WEBHOOK_NAME_LENGTH",
    value: webhooks.MAX_WEBHOOK_NAME_LENGTH,
    ask: async () => {
      const { id, owner } = await mintOrganization();
      return (count) =>
        call("POST", hooksPath(id), {
          token: owner.token,
          body: { name: letters(count), url: newReceiver(), types: ["member.added"] },
        });
    },
  },
  {
    limit: "MAX_NAMED_EXPORT_CAMERAS",
    value: exports.MAX_NAMED_EXPORT_CAMERAS,
    async ask() {
      const { organizationId, ask } = await ownCamera();
      return (count) =>
        ask("POST", `/v1/orgs/${organizationId}/exports`, {
          images: { cameraIds: Array.from({ length: count }, newId) },
        });
    },
  },
  {
    limit: "MAX_CAMERAS_PER_LINK",
    value: cameras.MAX_CAMERAS_PER_LINK,
    async ask() {
      const { organizationId, locationId, link } = await ownCamera();
      const all: string[] = [];
      for (let n = 0; n <= cameras.MAX_CAMERAS_PER_LINK; n++)
        all.push((await mintCamera(organizationId, locationId)).id);
      return (count) => link({ cameraIds: all.slice(0, count) });
    },
  },
  { limit: "MIN_PASSCODE_LENGTH", value: cameras.MIN_PASSCODE_LENGTH, isMinimum: true, ask: passcode },
  { limit: "MAX_PASSCODE_LENGTH", value: cameras.MAX_PASSCODE_LENGTH, ask: passcode },
  {
    limit: "MAX_SHARED_FRAMES",
    value: cameras.MAX_SHARED_FRAMES,
    async ask() {
      const { organizationId, locationId, camera } = await ownCamera();
      const { token } = await mintShare(organizationId, locationId, [camera.id]);
      return (count) =>
        call("GET", `/v1/shared-cameras/${camera.id}/frames?${range}&count=${count}`, { headers: withShare(token) });
    },
  },
  {
    limit: "MAX_CAPTURE_BYTES",
    value: cameras.MAX_CAPTURE_BYTES,
    async ask() {
      const device = await mintDevice();
      const facts = await factsOf(image());
      return (sizeBytes) => announceImage(device, { ...facts, captureId: crypto.randomUUID(), sizeBytes });
    },
    refused: "413 content-too-large",
  },
  {
    limit: "MAX_TAG_NAME_LENGTH",
    value: documents.MAX_TAG_NAME_LENGTH,
    ask: async () => {
      const { token } = await mintPerson();
      return (n: number) =>
        call("POST", "/v1/tags", { token, body: { organizationId: null, name: letters(n), color: "red" } });
    },
  },
  {
    limit: "MAX_ALLOWED_SENDERS",
    value: documents.MAX_ALLOWED_SENDERS,
    ask: async () => {
      const { owner, locationId } = await mintPlace();
      const path = `/v1/spatial/locations/${locationId}/mail-address`;
      await call("POST", path, { token: owner.token, body: {} });
      return (n: number) =>
        call("PATCH", path, {
          token: owner.token,
          body: { senders: Array.from({ length: n }, (_, at) => `s${at}.example.org`) },
        });
    },
  },
  {
    limit: "MAX_CHANGED_DOCUMENTS",
    value: documents.MAX_CHANGED_DOCUMENTS,
    ask: async () => {
      const { organizationId, owner, locationId } = await mintPlace();
      const [place] = await testDatabase().select().from(locations).where(eq(locations.id, locationId));
      const { clusterId = "" } = place ?? {};
      const made = await Promise.all(
        ids(documents.MAX_CHANGED_DOCUMENTS + 1).map(() =>
          mintDocument({ organizationId }, { id: locationId, clusterId }),
        ),
      );
      return (n: number) =>
        call("POST", `/v1/spatial/locations/${locationId}/documents/changes`, {
          token: owner.token,
          body: { changes: made.slice(0, n).map((documentId) => ({ type: "delete", documentId })) },
        });
    },
  },
  {
    limit: "MAX_SEGMENT_LENGTH",
    value: documents.MAX_SEGMENT_LENGTH,
    ask: startUpload((n) => ({ fileName: letters(n) })),
  },
  {
    limit: "MAX_FULL_NAME_BYTES",
    value: documents.MAX_FULL_NAME_BYTES,
    ask: startUpload((n) => ({ path: [255, 255, 200].map(letters).join("/"), fileName: letters(n - 713) })),
  },
  {
    limit: "MAX_DOCUMENT_BYTES",
    value: documents.MAX_DOCUMENT_BYTES,
    ask: startUpload((n) => ({ sizeBytes: n }), "uploads"),
    refused: "413 content-too-large",
  },
  {
    limit: "MAX_WHOLE_UPLOAD_BYTES",
    value: documents.MAX_WHOLE_UPLOAD_BYTES,
    ask: startUpload((n) => ({ sizeBytes: n })),
    refused: "413 content-too-large",
  },
  {
    limit: "MAX_SIGNED_PARTS",
    value: uploads.MAX_SIGNED_PARTS,
    async ask() {
      const { owner, locationId } = await mintPlace();
      const file = { fileName: "a.bin", bytes: "k".repeat(uploads.MAX_SIGNED_PARTS) };
      const { uploadId } = await startInParts(owner.token, locationId, file, 1);
      const part = { number: 1, checksumSha256: "0".repeat(64) };
      const path = `/v1/spatial/locations/${locationId}/documents/uploads/${uploadId}/parts`;
      return (count) => call("POST", path, { ...owner, body: { parts: Array.from({ length: count }, () => part) } });
    },
  },
  {
    limit: "MAX_ASSET_BYTES",
    value: branding.MAX_ASSET_BYTES,
    async ask() {
      const { id, owner } = await mintOrganization();
      const path = `/v1/orgs/${id}/branding/assets/logo/upload-start`;
      const file = { fileName: "a.png", contentType: "image/png", checksumSha256: "0".repeat(64) };
      return (sizeBytes) => call("POST", path, { ...owner, body: { ...file, sizeBytes } });
    },
    refused: "413 content-too-large",
  },
  {
    limit: "MAX_PATH_CHARACTERS",
    value: reports.MAX_PATH_CHARACTERS,
    ask: newTemplate((n) => ({ bodyFieldPath: letters(n), contentTemplateJson: { [letters(n)]: "" } })),
  },
];
