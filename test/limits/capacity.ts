import { env } from "cloudflare:workers";
import { z } from "zod";
import { MAX_PASSKEYS_PER_USER, MAX_TOKENS_PER_USER } from "../../src/access/limits";
import { MAX_ACTIVE_LINKS, MAX_CAMERAS_PER_LOCATION } from "../../src/cameras/limits";
import { MAX_FOLDERS, MAX_TAGS } from "../../src/documents/limits";
import { newId } from "../../src/platform/ids";
import { MAX_PARTIALS, MAX_REPORTS, MAX_TEMPLATES, MAX_WAITING_PDFS } from "../../src/reports/limits";
import { MAX_WEBHOOKS_PER_ORGANIZATION } from "../../src/webhooks/limits";
import {
  MAX_ANNOTATIONS,
  MAX_CLUSTERS,
  MAX_GRANTS_PER_RESOURCE,
  MAX_GRANTS_PER_USER,
  MAX_LOCATIONS,
  MAX_OPEN_INVITATIONS,
  MAX_OWNED_ORGANIZATIONS,
} from "../../src/workspace/limits";
import { Authenticator, addPasskeyOf, beginAdding } from "../support/authenticator";
import { call } from "../support/call";
import { mintCamera } from "../support/cameras";
import {
  addMember,
  mintAnnotation,
  mintCluster,
  mintGrant,
  mintLocation,
  mintMember,
  mintMembers,
  mintOrganization,
  mintPerson,
  mintToken,
} from "../support/factories";
import { mintReport, mintReportJob, mintTemplate } from "../support/reports";
import { mintSignedIn, register } from "../support/sessions";
import { mintShare } from "../support/shares";
import { createHook, hooksPath, newReceiver } from "../support/webhooks";
import { copyRow } from "./fill";

/*
 * To add a maximum of things in one place, add one row. `full` makes a place with `count` things and returns the requests
 * that add one more, by their verb. capacity.test.ts does the rest: with one thing less than the maximum, the request of
 * the row succeeds; at the maximum, each request is refused and nothing is added.
 */
export interface CapacityRow {
  /** The name of the constant. */
  limit: string;
  most: number;
  full: (count: number) => Promise<Readonly<Record<string, () => Promise<Response>>>>;
  /** The status of the request `create`, if it is not 201. */
  status?: number;
  /** The detail of a refusal, if it does not name the maximum. */
  refusal?: string;
}

/** An organization, and a request of its owner. */
async function ownSite() {
  const organization = await mintOrganization();
  const tenant = { organizationId: organization.id };
  const as = (method: string, path: string, body?: unknown) => () =>
    call(method, path, { token: organization.owner.token, body });
  return { organization, tenant, as, location: await mintLocation(tenant) };
}

const camera = { captureIntervalMinutes: 30, retentionDays: 30, captureWidth: 1280, captureHeight: 720 };
const newCamera = { name: "Gate", timeZone: "UTC", jpegQuality: 80, ...camera };

export const capacityRows: readonly CapacityRow[] = [
  {
    limit: "MAX_CLUSTERS",
    most: MAX_CLUSTERS,
    async full(count) {
      const { userId, token } = await mintPerson();
      if (count > 0) await copyRow("clusters", await mintCluster({ ownerUserId: userId }), count - 1);
      return {
        create: () => call("POST", "/v1/spatial/clusters", { token, body: { name: "More", organizationId: null } }),
      };
    },
  },
  {
    limit: "MAX_TAGS",
    most: MAX_TAGS,
    async full(count) {
      const { token } = await mintPerson();
      const create = (name: string) =>
        call("POST", "/v1/tags", { token, body: { name, color: "red", organizationId: null } });
      if (count > 0) {
        const { id } = z.object({ id: z.string() }).parse(await (await create("First")).json());
        await copyRow("tags", id, count - 1, { word: "'copy' || i" });
      }
      return { create: () => create("More") };
    },
  },
  {
    limit: "MAX_FOLDERS",
    most: MAX_FOLDERS,
    async full(count) {
      const { as, location } = await ownSite();
      const folders = `/v1/spatial/locations/${location.id}/folders`;
      if (count > 0) {
        await as("POST", folders, { path: "First" })();
        const found = env.DB.prepare("SELECT id FROM folders WHERE location_id = ?").bind(location.id);
        const row = await found.first<{ id: string }>();
        await copyRow("folders", row?.id ?? "", count - 1, { path: "'copy' || i" });
      }
      return { create: as("POST", folders, { path: "More" }) };
    },
  },
  {
    limit: "MAX_WEBHOOKS_PER_ORGANIZATION",
    most: MAX_WEBHOOKS_PER_ORGANIZATION,
    async full(count) {
      const { id, owner } = await mintOrganization();
      const given = () => ({ url: newReceiver(), types: ["member.added" as const] });
      if (count > 0) await copyRow("webhooks", (await createHook(id, owner, given())).id, count - 1);
      return { create: () => call("POST", hooksPath(id), { token: owner.token, body: { name: "More", ...given() } }) };
    },
  },
  {
    limit: "MAX_LOCATIONS",
    most: MAX_LOCATIONS,
    async full(count) {
      const { tenant, as, location } = await ownSite();
      await copyRow("locations", location.id, count - 1);
      const { clusterId } = location;
      const other = await mintLocation(tenant);
      return {
        create: as("POST", "/v1/spatial/locations", { clusterId, name: "More" }),
        move: as("PATCH", `/v1/spatial/locations/${other.id}`, { clusterId }),
      };
    },
  },
  {
    limit: "MAX_ANNOTATIONS",
    most: MAX_ANNOTATIONS,
    async full(count) {
      const { tenant, as, location } = await ownSite();
      await copyRow("annotations", await mintAnnotation(tenant, location), count - 1);
      return {
        create: as("POST", `/v1/spatial/locations/${location.id}/annotations`, { kind: "note", title: "More" }),
      };
    },
  },
  {
    limit: "MAX_GRANTS_PER_RESOURCE",
    most: MAX_GRANTS_PER_RESOURCE,
    async full(count) {
      const { organization, tenant, as, location } = await ownSite();
      const [first = "", ...others] = await mintMembers(organization.id, count);
      const grantId = await mintGrant(tenant, first, "location", location.id, { LocationView: "Read" });
      const user = `json_extract('${JSON.stringify(others)}', '$[' || (i - 1) || ']')`;
      await copyRow("grants", grantId, count - 1, { user_id: user });
      const person = await mintMember(organization.id);
      const body = { userId: person.userId, capabilities: { LocationView: "Read" } };
      return { create: as("POST", `/v1/spatial/locations/${location.id}/grants`, body) };
    },
  },
  {
    limit: "MAX_GRANTS_PER_USER",
    most: MAX_GRANTS_PER_USER,
    async full(count) {
      const { organization, tenant, as, location } = await ownSite();
      const { userId } = await mintMember(organization.id);
      const elsewhere = await mintLocation(tenant);
      const grantId = await mintGrant(tenant, userId, "location", elsewhere.id, { LocationView: "Read" });
      await copyRow("grants", grantId, count - 1, { target_id: "printf('%08x', i) || substr(target_id, 9)" });
      const body = { userId, capabilities: { LocationView: "Read" } };
      return { create: as("POST", `/v1/spatial/locations/${location.id}/grants`, body) };
    },
    refusal: "maximum number of grants",
  },
  {
    limit: "MAX_OPEN_INVITATIONS",
    most: MAX_OPEN_INVITATIONS,
    async full(count) {
      const { organization, as } = await ownSite();
      const invite = as("POST", `/v1/orgs/${organization.id}/members`, { email: "a@new.test", role: "member" });
      const { invitation } = (await (await invite()).json()) as { invitation: { id: string } };
      const own = { email: "i || email", secret_hash: "i || secret_hash" };
      await copyRow("invitations", invitation.id, count - 1, own);
      // An invitation that was used or has ended is not open.
      for (const ended of ["expires_at", "used_at"])
        await copyRow("invitations", invitation.id, 1, {
          email: "'ended@new.test'",
          id: `'${newId()}'`,
          secret_hash: `'${newId()}'`,
          [ended]: "1",
        });
      return {
        create: as("POST", `/v1/orgs/${organization.id}/members`, { email: "more@new.test", role: "member" }),
      };
    },
  },
  {
    limit: "MAX_OWNED_ORGANIZATIONS",
    most: MAX_OWNED_ORGANIZATIONS,
    async full(count) {
      const { userId, token, email } = await mintPerson();
      const { id } = await mintOrganization({ name: email });
      await copyRow("organizations", id, count - 1);
      await env.DB.prepare(
        "INSERT INTO memberships (organization_id, user_id, role, created_at) SELECT id, ?1, 'owner', 1 FROM organizations WHERE name = ?2",
      )
        .bind(userId, email)
        .run();
      // The role of another organization does not count.
      const other = await mintOrganization();
      await addMember(other.id, userId, "admin");
      const { id: third, owner } = await mintOrganization();
      const invite = (organizationId: string, as: { token: string }) =>
        call("POST", `/v1/orgs/${organizationId}/members`, { token: as.token, body: { email, role: "owner" } });
      // A person whose address is not verified gets an invitation, and any other becomes a member at once.
      const verify = (at: number | null) =>
        env.DB.prepare("UPDATE users SET email_verified_at = ?2 WHERE id = ?1").bind(userId, at).run();
      await verify(null);
      const { invitation } = (await (await invite(third, owner)).json()) as { invitation: { token: string } };
      await verify(1);
      const path = `/v1/orgs/${other.id}/members/${userId}`;
      return {
        create: () => call("POST", "/v1/orgs", { token, body: { name: "More" } }),
        promote: () => call("PATCH", path, { token: other.owner.token, body: { role: "owner", baseRevision: 1 } }),
        add: () => invite(third, owner),
        accept: () => call("POST", "/v1/invitations/accept", { token, body: { token: invitation.token } }),
      };
    },
  },
  {
    limit: "MAX_TOKENS_PER_USER",
    most: MAX_TOKENS_PER_USER,
    async full(count) {
      const { userId, token } = await mintSignedIn();
      // Each person has one token already. Ended tokens do not count.
      const { id } = await mintToken(userId);
      await copyRow("access_tokens", id, count - 2);
      await copyRow("access_tokens", id, 1, { id: `'${newId()}'`, revoked_at: "1" });
      const ended = newId();
      await copyRow("access_tokens", id, 1, { id: `'${ended}'`, expires_at: "1" });
      const extend = { token, body: { expiresAtUtc: null } };
      return {
        create: () => call("POST", "/v1/auth/tokens", { token, body: { name: "More" } }),
        extend: () => call("PATCH", `/v1/auth/tokens/${ended}`, extend),
      };
    },
  },
  {
    limit: "MAX_PASSKEYS_PER_USER",
    most: MAX_PASSKEYS_PER_USER,
    async full(count) {
      const { accessToken: token } = await register();
      const { id } = await addPasskeyOf(await Authenticator.create(), token);
      // The last one is asked for before the limit is reached, and added after it.
      const response = await (await Authenticator.create()).create(await beginAdding(token));
      const columns = { credential_id: "lower(hex(randomblob(16)))" };
      await copyRow("passkeys", id, count - 1, columns);
      return {
        create: () => call("POST", "/v1/auth/passkeys", { token, body: { name: "More", response } }),
      };
    },
  },
  {
    limit: "MAX_TEMPLATES",
    most: MAX_TEMPLATES,
    async full(count) {
      const { organization, tenant, as } = await ownSite();
      const { id } = await mintTemplate(tenant);
      await copyRow("report_templates", id, count - 1, { key: "'copy-' || i" });
      // A deleted template that reports still use does not count.
      await copyRow("report_templates", id, 1, { id: `'${newId()}'`, deleted_at: "1" });
      const body = { key: `more-${newId()}`, displayName: "More", htmlLayoutTemplate: "", contentTemplateJson: {} };
      return { create: as("POST", `/v1/reports/templates/organizations/${organization.id}`, body) };
    },
  },
  {
    limit: "MAX_PARTIALS",
    most: MAX_PARTIALS,
    status: 200,
    async full(count) {
      const { organization, as } = await ownSite();
      await env.DB.prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
         INSERT INTO report_partials (organization_id, name, created_at, updated_at, source)
         SELECT ?1, 'part-' || i, 1, 1, '' FROM n`,
      )
        .bind(organization.id, count)
        .run();
      return { create: as("PUT", `/v1/reports/partials/organizations/${organization.id}/more`, { source: "" }) };
    },
  },
  {
    limit: "MAX_REPORTS",
    most: MAX_REPORTS,
    async full(count) {
      const { tenant, as, location } = await ownSite();
      const template = await mintTemplate(tenant);
      await copyRow("reports", await mintReport(tenant, location, { templateId: template.id }), count - 1);
      return { create: as("POST", `/v1/reports/locations/${location.id}`, { templateId: template.id }) };
    },
  },
  {
    limit: "MAX_WAITING_PDFS",
    most: MAX_WAITING_PDFS,
    async full(count) {
      const { organization, tenant, as, location } = await ownSite();
      const printed = await mintReport(tenant, location);
      const { userId } = organization.owner;
      const waiting = await mintReportJob(tenant, printed, userId, { status: "queued" });
      await copyRow("report_jobs", waiting, count - 1, { input_digest: "'copy-' || i" });
      // A job that ended does not wait. An older job of the report is first in the queue, so that no browser starts.
      await mintReportJob(tenant, printed, userId);
      const report = await mintReport(tenant, location);
      await env.DB.prepare("UPDATE report_jobs SET report_id = ? WHERE id = ?").bind(report, waiting).run();
      return { create: as("POST", `/v1/reports/${report}/generate-pdf`) };
    },
    status: 202,
  },
  {
    limit: "MAX_CAMERAS_PER_LOCATION",
    most: MAX_CAMERAS_PER_LOCATION,
    async full(count) {
      const { organization, tenant, as, location } = await ownSite();
      const { id } = await mintCamera(organization.id, location.id);
      // Retired cameras count, because their images are at the location.
      await copyRow("cameras", id, count - 1, { retired_at: "1" });
      const elsewhere = await mintCamera(organization.id, (await mintLocation(tenant)).id);
      return {
        create: as("POST", `/v1/spatial/locations/${location.id}/cameras`, newCamera),
        relink: as("POST", `/v1/cameras/${elsewhere.id}/relinks`, { baseRevision: 1, locationId: location.id }),
      };
    },
  },
  {
    limit: "MAX_ACTIVE_LINKS",
    most: MAX_ACTIVE_LINKS,
    async full(count) {
      const { organization, as, location } = await ownSite();
      const camera = await mintCamera(organization.id, location.id);
      const { id } = await mintShare(organization.id, location.id, [camera.id]);
      await copyRow("camera_shares", id, count - 1);
      // Links that have ended do not count.
      await copyRow("camera_shares", id, 1, { id: `'${newId()}'`, revoked_at: "1" });
      await copyRow("camera_shares", id, 1, { id: `'${newId()}'`, expires_at: "1" });
      const body = { name: "More", cameraIds: [camera.id] };
      return { create: as("POST", `/v1/spatial/locations/${location.id}/camera-shares`, body) };
    },
  },
];
