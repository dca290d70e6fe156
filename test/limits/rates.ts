import { env } from "cloudflare:workers";
import * as access from "../../src/access/limits";
import * as cameras from "../../src/cameras/limits";
import * as exports from "../../src/exports/limits";
import type { RateLimit } from "../../src/platform/http/rate-limit";
import { newId } from "../../src/platform/ids";
import { MINUTE } from "../../src/platform/time";
import * as reports from "../../src/reports/limits";
import * as search from "../../src/search/limits";
import { searchRateLimit } from "../../src/search/search";
import { suggestionRateLimit } from "../../src/search/suggestions";
import * as webhooks from "../../src/webhooks/limits";
import * as workspace from "../../src/workspace/limits";
import { call } from "../support/call";
import { mintCamera } from "../support/cameras";
import { announce, cancel, factsOf, image, mintDevice } from "../support/device";
import { mintOrganization, mintPerson, mintPlace } from "../support/factories";
import { propose, redeem } from "../support/pairing";
import { freshIp, mintReset, PASSWORD, tryLogin } from "../support/sessions";
import { mintShare, withShare } from "../support/shares";
import { createHook, hooksPath, newReceiver } from "../support/webhooks";

/*
 * To add a rate limit, add one row. `caller` makes a caller with its own window, and `ask` sends one request that
 * counts. rates.test.ts does the rest: the last request of a window is served and the next one is refused with the time
 * to wait, until the window ends.
 */
export interface RateRow {
  /** The name of the constant. */
  limit: string;
  rate: RateLimit;
  caller: () => Promise<Caller>;
  /** The status of a request that is served. */
  served: number;
}

interface Caller {
  ask: () => Promise<Response>;
  /** Counts this many requests at once. Without it, `ask` sends them. */
  count?: (requests: number) => unknown;
}

/** Counts requests in the windows of the database whose names begin with this. */
const counted = (prefix: string) => (requests: number) =>
  env.DB.prepare("UPDATE rate_windows SET count = count + ?2 WHERE substr(bucket, 1, length(?1)) = ?1")
    .bind(prefix, requests)
    .run();

const WRONG = "not the password";

/** A request from one network. */
const post = (path: string, body: unknown, ip: string, more: { token?: string } = {}) =>
  call("POST", path, { ...more, body, headers: { "cf-connecting-ip": ip } });

const newAddress = () => `${newId()}@people.test`;
const newAccount = (email = newAddress()) => ({ email, password: PASSWORD, displayName: "Ada" });

async function openLink() {
  const { organizationId, locationId } = await mintPlace();
  const camera = await mintCamera(organizationId, locationId);
  return mintShare(organizationId, locationId, [camera.id]);
}

const unlock = (link: string, ip: string) =>
  call("POST", "/v1/shared-cameras/unlock", {
    body: { passcode: "harbour 7" },
    headers: { ...withShare(link), "cf-connecting-ip": ip },
  });

/** A camera, and the request of its owner for a pairing code. */
async function pairable() {
  const { organizationId, owner, locationId } = await mintPlace();
  const camera = await mintCamera(organizationId, locationId);
  const enroll = () => call("POST", `/v1/cameras/${camera.id}/enrollments`, { token: owner.token });
  return { camera, enroll };
}

export const rateRows: readonly RateRow[] = [
  {
    limit: "SIGN_INS_PER_ACCOUNT_AND_NETWORK",
    rate: access.SIGN_INS_PER_ACCOUNT_AND_NETWORK,
    async caller() {
      const [email, ip] = [newAddress(), freshIp()];
      return { ask: () => tryLogin(email, WRONG, ip), count: counted("sign-in:account-network:") };
    },
    served: 401,
  },
  {
    limit: "SIGN_INS_PER_ACCOUNT",
    rate: access.SIGN_INS_PER_ACCOUNT,
    async caller() {
      const email = newAddress();
      return { ask: () => tryLogin(email, WRONG), count: counted("sign-in:account:") };
    },
    served: 401,
  },
  {
    limit: "SIGN_INS_PER_NETWORK",
    rate: access.SIGN_INS_PER_NETWORK,
    async caller() {
      const ip = freshIp();
      return { ask: () => tryLogin(newAddress(), WRONG, ip), count: counted("sign-in:network:") };
    },
    served: 401,
  },
  {
    limit: "PASSKEY_CHALLENGES_PER_NETWORK",
    rate: access.PASSKEY_CHALLENGES_PER_NETWORK,
    async caller() {
      const headers = { "cf-connecting-ip": freshIp() };
      return {
        ask: () => call("POST", "/v1/auth/login/passkey/options", { headers }),
        count: counted("passkey-challenge:network:"),
      };
    },
    served: 200,
  },
  {
    limit: "REGISTRATIONS_PER_NETWORK",
    rate: access.REGISTRATIONS_PER_NETWORK,
    async caller() {
      const ip = freshIp();
      return {
        ask: () => post("/v1/auth/register", newAccount(), ip),
        count: counted("register:network:"),
      };
    },
    served: 201,
  },
  {
    limit: "REGISTRATIONS_PER_ADDRESS",
    rate: access.REGISTRATIONS_PER_ADDRESS,
    async caller() {
      const { email } = await mintPerson();
      return {
        ask: () => post("/v1/auth/register", newAccount(email), freshIp()),
        count: counted("register:account:"),
      };
    },
    served: 409,
  },
  {
    limit: "RESETS_PER_NETWORK",
    rate: access.RESETS_PER_NETWORK,
    async caller() {
      const [ip, { userId }] = [freshIp(), await mintPerson()];
      await mintReset(userId);
      const body = { token: "0".repeat(64), password: "a brand new password" };
      return { ask: () => post("/v1/auth/password-reset/complete", body, ip), count: counted("reset:network:") };
    },
    served: 410,
  },
  {
    limit: "REFRESHES_PER_NETWORK",
    rate: access.REFRESHES_PER_NETWORK,
    async caller() {
      const ip = freshIp();
      return { ask: () => post("/v1/auth/refresh", { refreshToken: "unknown" }, ip) };
    },
    served: 401,
  },
  {
    limit: "GRANT_RATE_LIMIT",
    rate: workspace.GRANT_RATE_LIMIT,
    async caller() {
      const { owner, locationId } = await mintPlace();
      const body = () => ({ email: newAddress(), capabilities: { LocationView: "Read" } });
      return {
        ask: () => post(`/v1/spatial/locations/${locationId}/grants`, body(), freshIp(), owner),
        count: counted("grant:"),
      };
    },
    served: 422,
  },
  {
    limit: "INVITATION_RATE_LIMIT",
    rate: workspace.INVITATION_RATE_LIMIT,
    async caller() {
      const { id, owner } = await mintOrganization();
      const body = () => ({ email: newAddress(), role: "member" });
      return { ask: () => post(`/v1/orgs/${id}/members`, body(), freshIp(), owner), count: counted("invite:") };
    },
    served: 201,
  },
  {
    limit: "INVITATION_PREVIEWS_PER_NETWORK",
    rate: workspace.INVITATION_PREVIEWS_PER_NETWORK,
    async caller() {
      const ip = freshIp();
      return { ask: () => post("/v1/invitations/preview", { token: "0".repeat(64) }, ip) };
    },
    served: 410,
  },
  {
    limit: "SEARCHES_PER_USER",
    rate: search.SEARCHES_PER_USER,
    async caller() {
      const { userId, token } = await mintPerson();
      return {
        ask: () => call("POST", "/v1/search", { token, body: { term: "abut" } }),
        count: (requests) => repeat(requests, () => searchRateLimit.consume({ now: Date.now(), counted: [] }, userId)),
      };
    },
    served: 200,
  },
  {
    limit: "SUGGESTIONS_PER_USER",
    rate: search.SUGGESTIONS_PER_USER,
    async caller() {
      const { userId, token } = await mintPerson();
      return {
        ask: () => call("POST", "/v1/search/suggestions", { token, body: { term: "abut" } }),
        count: (requests) =>
          repeat(requests, () => suggestionRateLimit.consume({ now: Date.now(), counted: [] }, userId)),
      };
    },
    served: 200,
  },
  {
    limit: "PREVIEWS_PER_USER",
    rate: reports.PREVIEWS_PER_USER,
    async caller() {
      const { token } = await mintPerson();
      const body = { displayName: "Empty", htmlLayoutTemplate: "", contentTemplateJson: {}, key: "empty" };
      return { ask: () => call("POST", "/v1/reports/templates/preview", { token, body }) };
    },
    served: 200,
  },
  {
    limit: "REDEMPTIONS_PER_NETWORK",
    rate: cameras.REDEMPTIONS_PER_NETWORK,
    async caller() {
      const ip = freshIp();
      return { ask: () => redeem(propose("ZZZZ-ZZZZ"), ip), count: counted("pairing:network:") };
    },
    served: 404,
  },
  {
    limit: "REDEMPTIONS_PER_CAMERA",
    rate: cameras.REDEMPTIONS_PER_CAMERA,
    async caller() {
      const { enroll } = await pairable();
      const { pairingCode } = (await (await enroll()).json()) as { pairingCode: string };
      await redeem(propose(pairingCode));
      await env.DB.prepare("DELETE FROM rate_windows WHERE bucket LIKE 'pairing:camera:%'").run();
      return { ask: () => redeem(propose(pairingCode)), count: counted("pairing:camera:") };
    },
    served: 410,
  },
  {
    limit: "ENROLLMENTS_PER_CAMERA",
    rate: cameras.ENROLLMENTS_PER_CAMERA,
    async caller() {
      return { ask: (await pairable()).enroll, count: counted("pairing:enrollment:") };
    },
    served: 201,
  },
  {
    limit: "ADMISSIONS_PER_MINUTE",
    rate: { limit: cameras.ADMISSIONS_PER_MINUTE, windowMs: cameras.ADMISSION_WINDOW_MS },
    async caller() {
      const device = await mintDevice();
      const ask = async () => {
        const answer = await announce(device, await factsOf(image()));
        // Only two images of a camera are admitted at a time.
        await cancel(device);
        return answer;
      };
      return { ask };
    },
    served: 201,
  },
  {
    limit: "DEVICE_REQUESTS_PER_MINUTE",
    rate: { limit: cameras.DEVICE_REQUESTS_PER_MINUTE, windowMs: MINUTE },
    async caller() {
      const { token } = await mintDevice();
      return { ask: () => call("GET", "/v1/camera-ingestion/configuration", { token }) };
    },
    served: 200,
  },
  {
    limit: "WEBHOOK_REQUESTS_PER_MINUTE",
    rate: webhooks.WEBHOOK_REQUESTS_PER_MINUTE,
    async caller() {
      const { id, owner } = await mintOrganization();
      const hook = await createHook(id, owner, { url: newReceiver(), types: ["member.added"] });
      return {
        ask: () => call("POST", hooksPath(id, `/${hook.id}/test`), { token: owner.token }),
        count: counted(`webhook-request:${id}`),
      };
    },
    served: 202,
  },
  {
    limit: "EXPORTS_PER_WORKSPACE",
    rate: exports.EXPORTS_PER_WORKSPACE,
    async caller() {
      const { id, owner } = await mintOrganization();
      const path = `/v1/orgs/${id}/exports`;
      const cancel = `UPDATE workspace_exports SET status = 'cancelled' WHERE tenant_id = ?`;
      // One export is prepared at a time, so each one ends before the next.
      const ask = async () => {
        await env.DB.prepare(cancel).bind(id).run();
        return call("POST", path, { ...owner, body: {} });
      };
      return { ask, count: counted(`workspace-export:${id}`) };
    },
    served: 202,
  },
  {
    limit: "PREVIEW_REQUESTS_PER_NETWORK",
    rate: cameras.PREVIEW_REQUESTS_PER_NETWORK,
    async caller() {
      const [ip, { owner, locationId }] = [freshIp(), await mintPlace()];
      const path = `/v1/spatial/locations/${locationId}/cameras/latest-previews`;
      return { ask: () => post(path, { cameraIds: [newId()] }, ip, owner) };
    },
    served: 200,
  },
  {
    limit: "PASSCODE_TRIES_PER_NETWORK",
    rate: cameras.PASSCODE_TRIES_PER_NETWORK,
    async caller() {
      const [ip, { id, token }] = [freshIp(), await openLink()];
      return { ask: () => unlock(token, ip), count: counted(`share-passcode:${id}:`) };
    },
    served: 200,
  },
  {
    limit: "PASSCODE_TRIES_PER_LINK",
    rate: cameras.PASSCODE_TRIES_PER_LINK,
    async caller() {
      const { id, token } = await openLink();
      return { ask: () => unlock(token, freshIp()), count: counted(`share-passcode:${id}`) };
    },
    served: 200,
  },
  {
    limit: "SHARED_REQUESTS_PER_NETWORK",
    rate: cameras.SHARED_REQUESTS_PER_NETWORK,
    async caller() {
      const headers = { ...withShare("unknown"), "cf-connecting-ip": freshIp() };
      return { ask: () => call("GET", "/v1/shared-cameras", { headers }) };
    },
    served: 404,
  },
];

function repeat(times: number, run: () => void): void {
  for (let n = 0; n < times; n++) run();
}
