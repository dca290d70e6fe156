import { env } from "cloudflare:workers";
import { mailPasswordReset } from "../../src/access/accounts/resets";
import * as access from "../../src/access/limits";
import * as branding from "../../src/branding/limits";
import * as documents from "../../src/documents/limits";
import { beginChange } from "../../src/platform/db/change";
import { IDEMPOTENCY_RETENTION_MS } from "../../src/platform/http/idempotency";
import { newId } from "../../src/platform/ids";
import { SECOND } from "../../src/platform/time";
import * as reports from "../../src/reports/limits";
import { keepBase } from "../../src/reports/merging/bases";
import * as uploads from "../../src/uploads/limits";
import * as workspace from "../../src/workspace/limits";
import { Authenticator, addPasskeyOf, beginSignIn, trySignIn } from "../support/authenticator";
import { assetPath, MARK, uploadAsset } from "../support/branding";
import { call, codeOf } from "../support/call";
import { completeUpload, putBytes, startUpload, uploadDocument } from "../support/documents";
import { mintGrant, mintOrganization, mintPerson, mintPlace, mintToken } from "../support/factories";
import { issue, keyOf } from "../support/issuer";
import { systemContext } from "../support/jobs";
import { newReportSite } from "../support/rooms";
import { freshIp, mintSession, register, statusOf, tryRefresh } from "../support/sessions";
import { runToEnd } from "../support/storage";
import { behind, has, type LifetimeRow } from "./lifetime";

/** The token in the mail with a reset link. */
async function mailedReset(email: string): Promise<string> {
  let text = "";
  const mailer = async (mail: { text: string }) => {
    text = mail.text;
    return true;
  };
  const job = { id: "", kind: "mail-password-reset", tenantId: null, payload: { email }, state: null } as const;
  const rest = { attempts: 1, progress: { done: 0, total: 0 }, requestedBy: null };
  const outcome = await mailPasswordReset.run({ ...systemContext(), mailer }, { ...job, ...rest });
  await outcome.change?.commit();
  return /#([0-9a-f]{64})\n/.exec(text)?.[1] ?? "";
}

const file = { fileName: "a.txt", bytes: "hello" };

/** Begins the upload of a document. */
async function beginUpload() {
  const { owner, locationId } = await mintPlace();
  const started = await startUpload(owner.token, locationId, file);
  const path = `/v1/spatial/locations/${locationId}/documents/uploads/${started.uploadId}`;
  return {
    started,
    complete: () => completeUpload(owner.token, locationId, started.uploadId),
    cancel: () => call("DELETE", path, owner),
    exists: () => has("SELECT 1 FROM uploads WHERE id = ?", started.uploadId),
    staged: async () => {
      const row = await env.DB.prepare("SELECT staging_key AS k FROM uploads WHERE id = ?")
        .bind(started.uploadId)
        .first<{ k: string }>();
      return (await env.BUCKET.head(row?.k ?? "")) !== null;
    },
  };
}

export const lifetimeRows: readonly LifetimeRow[] = [
  {
    limit: "RESET_LIFETIME_MS",
    ms: access.RESET_LIFETIME_MS,
    async begin() {
      const { user } = await register();
      const body = { token: await mailedReset(user.email), password: "another horse battery" };
      const headers = { "cf-connecting-ip": freshIp() };
      return async () => (await call("POST", "/v1/auth/password-reset/complete", { body, headers })).status;
    },
    before: 204,
    after: 410,
  },
  {
    limit: "RECENT_SIGN_IN_MS",
    ms: access.RECENT_SIGN_IN_MS,
    async begin() {
      const issuerKey = await keyOf("main");
      const now = Math.floor(Date.now() / 1_000);
      const token = await issue("main", issuerKey, { email: `${newId()}@partner.test`, iat: now, exp: now + 3_600 });
      return async () => (await call("DELETE", "/v1/auth/me", { token, body: {} })).status;
    },
    before: 204,
    after: 422,
    slack: SECOND,
  },
  {
    limit: "PASSKEY_CHALLENGE_LIFETIME_MS",
    ms: access.PASSKEY_CHALLENGE_LIFETIME_MS,
    async begin() {
      const authenticator = await Authenticator.create();
      await addPasskeyOf(authenticator, (await register()).accessToken);
      const response = await authenticator.get(await beginSignIn());
      return async () => (await trySignIn(response)).status;
    },
    before: 200,
    after: 401,
  },
  {
    limit: "ACCESS_TOKEN_LIFETIME_MS",
    ms: access.ACCESS_TOKEN_LIFETIME_MS,
    async begin() {
      const { accessToken } = await register();
      return () => statusOf(accessToken);
    },
    before: 200,
    after: 401,
    slack: SECOND,
  },
  {
    limit: "SESSION_LIFETIME_MS",
    ms: access.SESSION_LIFETIME_MS,
    async begin() {
      const { refreshToken } = await register();
      return async () => (await tryRefresh(refreshToken)).status;
    },
    before: 200,
    after: 401,
  },
  {
    limit: "REFRESH_RETRY_GRACE_MS",
    ms: access.REFRESH_RETRY_GRACE_MS,
    async begin() {
      const { refreshToken } = await register();
      await tryRefresh(refreshToken);
      return async () => (await tryRefresh(refreshToken)).status;
    },
    before: 200,
    after: 401,
  },
  {
    limit: "SESSION_RETENTION_MS",
    ms: access.SESSION_RETENTION_MS,
    async begin() {
      const { id } = await mintSession((await mintPerson()).userId, { expiresAt: Date.now() });
      return async () => {
        await runToEnd("expire-credentials");
        return has("SELECT 1 FROM sessions WHERE id = ?", id);
      };
    },
    before: true,
    after: false,
  },
  ...(["revokedAt", "expiresAt"] as const).map((end) => ({
    limit: "TOKEN_RETENTION_MS",
    ms: access.TOKEN_RETENTION_MS,
    async begin() {
      const { id } = await mintToken((await mintPerson()).userId, { [end]: Date.now() });
      return async () => {
        await runToEnd("expire-credentials");
        return has("SELECT 1 FROM access_tokens WHERE id = ?", id);
      };
    },
    before: true,
    after: false,
  })),
  {
    limit: "INVITATION_LIFETIME_MS",
    ms: workspace.INVITATION_LIFETIME_MS,
    async begin() {
      const { id, owner } = await mintOrganization();
      const body = { email: "new@people.test", role: "member" };
      const made = await call("POST", `/v1/orgs/${id}/members`, { ...owner, body });
      const { invitation } = (await made.json()) as { invitation: { token: string } };
      const headers = { "cf-connecting-ip": freshIp() };
      const { token } = invitation;
      return async () => (await call("POST", "/v1/invitations/preview", { body: { token }, headers })).status;
    },
    before: 200,
    after: 410,
  },
  {
    limit: "SHARING_RETENTION_MS",
    ms: workspace.SHARING_RETENTION_MS,
    async begin() {
      const { organizationId, locationId } = await mintPlace();
      const { userId } = await mintPerson();
      const ended = { expiresAt: Date.now() };
      const id = await mintGrant({ organizationId }, userId, "location", locationId, {}, ended);
      return async () => {
        await runToEnd("expire-sharing");
        return has("SELECT 1 FROM grants WHERE id = ?", id);
      };
    },
    before: true,
    after: false,
  },
  {
    limit: "UPLOAD_URL_LIFETIME_MS",
    ms: uploads.UPLOAD_URL_LIFETIME_MS,
    async begin() {
      const { started } = await beginUpload();
      return async () => (await putBytes(started, file.bytes)).status;
    },
    before: 200,
    after: 403,
    slack: SECOND,
  },
  {
    limit: "UPLOAD_LIFETIME_MS",
    ms: uploads.UPLOAD_LIFETIME_MS,
    async begin() {
      const { complete } = await beginUpload();
      return async () => codeOf(await complete());
    },
    before: "422 upload-incomplete",
    after: "410 upload-ended",
  },
  {
    // A transfer that began at the end of the address may still write.
    limit: "TRANSFER_GRACE_MS",
    ms: uploads.UPLOAD_URL_LIFETIME_MS + uploads.TRANSFER_GRACE_MS,
    async begin() {
      const { started, cancel, staged } = await beginUpload();
      await cancel();
      await putBytes(started, file.bytes);
      return async () => {
        await runToEnd("expire-uploads");
        return staged();
      };
    },
    before: true,
    after: false,
  },
  {
    limit: "ENDED_UPLOAD_RETENTION_MS",
    ms: uploads.ENDED_UPLOAD_RETENTION_MS,
    async begin() {
      const { started, cancel, exists } = await beginUpload();
      await cancel();
      await env.DB.prepare("UPDATE uploads SET url_expires_at = 1 WHERE id = ?").bind(started.uploadId).run();
      await runToEnd("expire-uploads");
      return async () => {
        await runToEnd("expire-uploads");
        return exists();
      };
    },
    before: true,
    after: false,
  },
  {
    limit: "VERIFICATION_GRACE_MS",
    ms: uploads.UPLOAD_LIFETIME_MS + uploads.VERIFICATION_GRACE_MS,
    async begin() {
      const { started } = await beginUpload();
      const of = (set: string) => env.DB.prepare(`${set} WHERE id = ?`).bind(started.uploadId);
      await of("UPDATE uploads SET status = 'verifying'").run();
      return async () => {
        await runToEnd("expire-uploads");
        return (await of("SELECT status FROM uploads").first<{ status: string }>())?.status;
      };
    },
    before: "verifying",
    after: "expired",
  },
  {
    limit: "LINK_LIFETIME_MS",
    ms: documents.LINK_LIFETIME_MS,
    async begin() {
      const { owner, locationId } = await mintPlace();
      const { id } = await uploadDocument(owner.token, locationId, file);
      return behind(await call("GET", `/v1/documents/${id}/download`, owner));
    },
    before: 200,
    after: 403,
    slack: SECOND,
  },
  {
    limit: "IDEMPOTENCY_RETENTION_MS",
    ms: IDEMPOTENCY_RETENTION_MS,
    async begin() {
      const { token } = await mintPerson();
      const headers = { "idempotency-key": newId() };
      const create = async () => {
        const made = await call("POST", "/v1/orgs", { token, headers, body: { name: "Harbour" } });
        return ((await made.json()) as { id: string }).id;
      };
      const first = await create();
      return async () => (await create()) === first;
    },
    before: true,
    after: false,
  },
  {
    limit: "IDEMPOTENCY_RETENTION_MS",
    ms: IDEMPOTENCY_RETENTION_MS,
    async begin() {
      const [{ token }, startedAt] = [await mintPerson(), Date.now()];
      await call("POST", "/v1/orgs", { token, headers: { "idempotency-key": newId() }, body: { name: "Harbour" } });
      return async () => {
        await runToEnd("expire-requests");
        return has("SELECT 1 FROM idempotency_keys WHERE created_at = CAST(? AS INTEGER)", String(startedAt));
      };
    },
    before: true,
    after: false,
  },
  {
    limit: "BASE_RETENTION",
    ms: reports.BASE_RETENTION,
    async begin() {
      const { organizationId, reportId } = await newReportSite();
      const change = async (revision: number) => {
        const change = beginChange(systemContext(), organizationId);
        keepBase(systemContext(), change, { id: reportId, revision, contentJson: { n: revision } }, {}, Date.now());
        await change.commit();
      };
      await change(1);
      return async () => {
        await change(2);
        return has("SELECT 1 FROM report_changes WHERE report_id = ? AND revision = 2", reportId);
      };
    },
    before: true,
    after: false,
  },
  {
    limit: "LINK_LIFETIME_MS",
    ms: branding.LINK_LIFETIME_MS,
    async begin() {
      const { id, owner } = await mintOrganization();
      const logo = { fileName: "mark.svg", bytes: MARK, contentType: "image/svg+xml" };
      await uploadAsset(owner.token, id, "logo", logo);
      return behind(await call("GET", `${assetPath(id, "logo")}/download`, owner));
    },
    before: 200,
    after: 403,
    slack: SECOND,
  },
];
