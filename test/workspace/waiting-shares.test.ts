import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { SHAREABLE_DOCUMENTS } from "../../src/documents";
import { newId } from "../../src/platform/ids";
import { allKinds, invitationRedeemer } from "../../src/workspace";
import { grantSchema } from "../../src/workspace/grants/grants";
import { waitingShareSchema } from "../../src/workspace/grants/waiting-shares";
import { call, codeOf, expectJson } from "../support/call";
import {
  addMember,
  mintCluster,
  mintDocument,
  mintLocation,
  mintMember,
  mintOrganization,
  mintPerson,
  mintPlace,
} from "../support/factories";
import { runThrough, systemContext } from "../support/jobs";
import { eventually } from "../support/patience";
import { freshIp, mintReset, PASSWORD, register } from "../support/sessions";
import { accept, mailedTokenOf, mailsOfShare, shareWaiting, WITH_MAIL } from "../support/waiting-shares";

const kinds = allKinds([SHAREABLE_DOCUMENTS]);
const newAddress = () => `${newId()}@people.test`;
const grantList = z.object({ items: z.array(grantSchema) });
const waitingList = z.object({ items: z.array(waitingShareSchema) });

const path = (locationId: string, more: string) => `/v1/spatial/locations/${locationId}/${more}`;
const grantsOn = async (locationId: string, token: string) =>
  (await expectJson(grantList, 200, "GET", path(locationId, "grants"), { token })).items;
const waitingOn = async (locationId: string, token: string) =>
  (await expectJson(waitingList, 200, "GET", path(locationId, "waiting-shares"), { token })).items;
const sees = async (locationId: string, token: string) =>
  (await call("GET", `/v1/spatial/locations/${locationId}`, { token })).status;

/** A location that waits for an address. */
async function mintWaiting(email = newAddress(), more: Record<string, unknown> = {}) {
  const place = await mintPlace();
  return { ...place, email, share: await shareWaiting(place.locationId, place.owner.token, email, more) };
}

describe("a share with an address that has no verified account", () => {
  test("waits, is listed with its end, and gives nothing yet", async () => {
    const { locationId, organizationId, owner, email, share } = await mintWaiting();
    expect(share).toMatchObject({ email, grantedBy: owner.userId, isMailed: false, expiresAtUtc: null });
    expect(await waitingOn(locationId, owner.token)).toEqual([share]);
    expect(await grantsOn(locationId, owner.token)).toEqual([]);
    await mailedTokenOf(share.id);
    expect(await waitingOn(locationId, owner.token)).toEqual([{ ...share, isMailed: true }]);
    const invitations = await call("GET", `/v1/orgs/${organizationId}/invitations`, owner);
    expect(await invitations.json()).toMatchObject({ items: [] });
  });

  test("is refused without a mail service, and in a personal workspace", async () => {
    const { locationId, owner } = await mintPlace();
    const body = { email: newAddress(), capabilities: { LocationView: "Read" } };
    expect(await codeOf(await call("POST", path(locationId, "grants"), { token: owner.token, body }))).toBe(
      "422 rule-violated",
    );
    const person = await mintPerson();
    const { id } = await mintLocation({ ownerUserId: person.userId });
    expect(await codeOf(await call("POST", path(id, "grants"), { ...WITH_MAIL, token: person.token, body }))).toBe(
      "422 rule-violated",
    );
  });

  test("becomes a grant when the person registers with the mailed link", async () => {
    const { locationId, owner, email, share } = await mintWaiting();
    const invitation = await mailedTokenOf(share.id);
    const preview = await call("POST", "/v1/invitations/preview", { body: { token: invitation } });
    expect(await preview.json()).toMatchObject({ email, role: "guest", share: { kind: "location" } });
    const { accessToken, user } = await register({ email, invitation });
    expect(await sees(locationId, accessToken)).toBe(200);
    expect(await grantsOn(locationId, owner.token)).toMatchObject([
      { userId: user.id, email, grantedBy: owner.userId, capabilities: { LocationView: "Read" }, expiresAtUtc: null },
    ]);
    expect(await waitingOn(locationId, owner.token)).toEqual([]);
    expect((await accept(accessToken, invitation)).status).toBe(410);
  });

  test("keeps the end of its grant", async () => {
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const { locationId, owner, email, share } = await mintWaiting(newAddress(), { expiresAtUtc: end });
    expect([share.expiresAtUtc, share.waitsUntilUtc]).toEqual([end, end]);
    await register({ email, invitation: await mailedTokenOf(share.id) });
    expect(await grantsOn(locationId, owner.token)).toMatchObject([{ expiresAtUtc: end }]);
  });

  test("becomes a grant when the person of an account with the address accepts, which verifies the address", async () => {
    const { locationId, share, email, organizationId } = await mintWaiting();
    const { accessToken } = await register({ email });
    expect(await sees(locationId, accessToken)).toBe(404);
    const answer = await accept(accessToken, await mailedTokenOf(share.id));
    expect(await answer.json()).toMatchObject({
      organizationId,
      role: "guest",
      share: { kind: "location", id: locationId },
    });
    expect(await sees(locationId, accessToken)).toBe(200);
    const me = await call("GET", "/v1/auth/me", { token: accessToken });
    expect(await me.json()).toMatchObject({ user: { emailVerified: true } });
  });

  test("is for its address alone", async () => {
    const { locationId, share } = await mintWaiting();
    const other = await mintPerson();
    expect((await accept(other.token, await mailedTokenOf(share.id))).status).toBe(403);
    expect(await sees(locationId, other.token)).toBe(404);
  });

  test("on several resources of several organizations: the first proof of the address gives all of them", async () => {
    const email = newAddress();
    const first = await mintWaiting(email);
    const second = await mintWaiting(email);
    const { accessToken } = await register({ email, invitation: await mailedTokenOf(first.share.id) });
    await eventually(async () => expect(await sees(second.locationId, accessToken)).toBe(200));
    expect(await waitingOn(second.locationId, second.owner.token)).toEqual([]);
  });

  test("becomes a grant when the address is verified later, by a mailed link for a new password", async () => {
    const { locationId, email } = await mintWaiting();
    const { user, accessToken } = await register({ email });
    expect(await sees(locationId, accessToken)).toBe(404);
    const token = await mintReset(user.id);
    const password = `${PASSWORD} 2`;
    const reset = await call("POST", "/v1/auth/password-reset/complete", {
      body: { token, password },
      headers: { "cf-connecting-ip": freshIp() },
    });
    expect(reset.status).toBe(204);
    await eventually(async () =>
      expect(
        await env.DB.prepare("SELECT 1 AS one FROM grants WHERE user_id = ? AND target_id = ?")
          .bind(user.id, locationId)
          .first(),
      ).toEqual({ one: 1 }),
    );
  });

  test("goes at once to a person who has proven the address before the mail is sent", async () => {
    const { locationId, email, share } = await mintWaiting();
    const person = await mintPerson({ email });
    expect(await mailsOfShare(share.id)).toEqual([]);
    expect(await sees(locationId, person.token)).toBe(200);
  });

  test("again replaces the first, and its link; another resource keeps its own", async () => {
    const { locationId, organizationId, owner, email, share } = await mintWaiting();
    const earlier = await mailedTokenOf(share.id);
    const other = await mintLocation({ organizationId });
    await shareWaiting(other.id, owner.token, email);
    const body = { email, role: "member" };
    await call("POST", `/v1/orgs/${organizationId}/members`, { token: owner.token, body });
    const again = await shareWaiting(locationId, owner.token, email, { capabilities: { LocationView: "Write" } });
    expect(await waitingOn(locationId, owner.token)).toEqual([again]);
    expect(await waitingOn(other.id, owner.token)).toHaveLength(1);
    expect((await call("POST", "/v1/invitations/preview", { body: { token: earlier } })).status).toBe(410);
    const invitations = await call("GET", `/v1/orgs/${organizationId}/invitations`, owner);
    expect(await invitations.json()).toMatchObject({ items: [{ email, role: "member" }] });
  });

  test("can be a cluster or a document", async () => {
    const { organizationId, owner, locationId } = await mintPlace();
    const clusterId = await mintCluster({ organizationId });
    const location = await mintLocation({ organizationId });
    const documentId = await mintDocument({ organizationId }, location);
    const email = newAddress();
    const share = (at: string, capabilities: Record<string, string>) =>
      expectJson(waitingShareSchema, 202, "POST", `${at}/grants`, {
        ...WITH_MAIL,
        token: owner.token,
        body: { email, capabilities },
      });
    await share(`/v1/spatial/clusters/${clusterId}`, { ClusterView: "Read" });
    const { id } = await share(`/v1/documents/${documentId}`, { Documents: "Read" });
    const { accessToken: token } = await register({ email, invitation: await mailedTokenOf(id) });
    expect((await call("GET", `/v1/documents/${documentId}`, { token })).status).toBe(200);
    await eventually(async () =>
      expect((await call("GET", `/v1/spatial/clusters/${clusterId}`, { token })).status).toBe(200),
    );
    expect(await sees(locationId, token)).toBe(404);
  });
});

describe("a waiting share ends", () => {
  test("when it is revoked, and a repeat finds nothing", async () => {
    const { locationId, owner, email, share } = await mintWaiting();
    const invitation = await mailedTokenOf(share.id);
    const one = path(locationId, `waiting-shares/${share.id}`);
    expect((await call("DELETE", one, owner)).status).toBe(204);
    expect((await call("DELETE", one, owner)).status).toBe(404);
    expect((await call("GET", one, owner)).status).toBe(404);
    const body = { email, password: PASSWORD, displayName: "Ada", invitation };
    const headers = { "cf-connecting-ip": freshIp() };
    expect((await call("POST", "/v1/auth/register", { body, headers })).status).toBe(410);
  });

  test("when its maker may not share any more", async () => {
    const { locationId, organizationId, owner, email } = await mintWaiting();
    const admin = await mintMember(organizationId, "admin");
    const share = await shareWaiting(locationId, admin.token, newAddress());
    const invitation = await mailedTokenOf(share.id);
    const member = `/v1/orgs/${organizationId}/members/${admin.userId}`;
    const changed = await call("PATCH", member, { token: owner.token, body: { role: "member", baseRevision: 1 } });
    expect(changed.status).toBe(200);
    expect((await waitingOn(locationId, owner.token)).map((one) => one.email)).toEqual([email]);
    expect((await call("POST", "/v1/invitations/preview", { body: { token: invitation } })).status).toBe(410);
  });

  test("while its resource is in the trash", async () => {
    const { locationId, owner, email, share } = await mintWaiting();
    const invitation = await mailedTokenOf(share.id);
    const { accessToken } = await register({ email });
    expect((await call("DELETE", `/v1/spatial/locations/${locationId}`, owner)).status).toBe(204);
    expect((await call("POST", "/v1/invitations/preview", { body: { token: invitation } })).status).toBe(410);
    expect((await accept(accessToken, invitation)).status).toBe(410);
  });

  test("with the rows of its resource", async () => {
    const { organizationId, owner } = await mintPlace();
    const location = await mintLocation({ organizationId });
    const documentId = await mintDocument({ organizationId }, location);
    const clusterId = await mintCluster({ organizationId });
    for (const [at, capability] of [
      [`/v1/documents/${documentId}`, "Documents"],
      [`/v1/spatial/locations/${location.id}`, "LocationView"],
      [`/v1/spatial/clusters/${clusterId}`, "ClusterView"],
    ] as const) {
      const body = { email: newAddress(), capabilities: { [capability]: "Read" } };
      expect((await call("POST", `${at}/grants`, { ...WITH_MAIL, token: owner.token, body })).status).toBe(202);
    }
    const count = () =>
      env.DB.prepare("SELECT count(*) AS count FROM invitations WHERE organization_id = ?")
        .bind(organizationId)
        .first();
    expect(await count()).toEqual({ count: 3 });
    await env.DB.batch([
      env.DB.prepare("DELETE FROM document_versions WHERE document_id = ?").bind(documentId),
      env.DB.prepare("DELETE FROM documents WHERE id = ?").bind(documentId),
      env.DB.prepare("DELETE FROM locations WHERE id = ?").bind(location.id),
      env.DB.prepare("DELETE FROM clusters WHERE id = ?").bind(clusterId),
    ]);
    expect(await count()).toEqual({ count: 0 });
  });

  test("with the same share of the person, who has proven the address meanwhile", async () => {
    const { locationId, owner, email } = await mintWaiting();
    await mintPerson({ email });
    const body = { email, capabilities: { LocationView: "Write" } };
    await expectJson(grantSchema, 201, "POST", path(locationId, "grants"), { ...WITH_MAIL, token: owner.token, body });
    expect(await waitingOn(locationId, owner.token)).toEqual([]);
  });
});

describe("what happens at once", () => {
  test("two uses of the link give one grant", async () => {
    const { locationId, owner, email, share } = await mintWaiting();
    const invitation = await mailedTokenOf(share.id);
    const { accessToken } = await register({ email });
    const answers = await Promise.all([1, 2, 3, 4].map(() => accept(accessToken, invitation)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410, 410, 410]);
    expect(await grantsOn(locationId, owner.token)).toHaveLength(1);
  });

  test("revoking and using it: one of both wins", async () => {
    for (let n = 0; n < 5; n++) {
      const { locationId, owner, email, share } = await mintWaiting();
      const invitation = await mailedTokenOf(share.id);
      const { accessToken } = await register({ email });
      const [used, revoked] = await Promise.all([
        accept(accessToken, invitation),
        call("DELETE", path(locationId, `waiting-shares/${share.id}`), owner),
      ]);
      expect([`200 404`, `410 204`]).toContain(`${used.status} ${revoked.status}`);
      expect(await grantsOn(locationId, owner.token)).toHaveLength(used.status === 200 ? 1 : 0);
    }
  });

  test("a registration that stops before it gives the share: a job gives it, and nobody ends it in between", async () => {
    const { locationId, owner, email, share } = await mintWaiting();
    const found = await invitationRedeemer(kinds).find(systemContext(), await mailedTokenOf(share.id));
    const person = await mintPerson({ email });
    const registrationId = await found.reserve(person.userId);
    const one = path(locationId, `waiting-shares/${share.id}`);
    expect(await codeOf(await call("DELETE", one, owner))).toBe("409 conflict");
    const settled = { invitationId: share.id, registrationId, userId: person.userId, mustBeVerified: true };
    await runThrough("settle-invitation", [settled]);
    await eventually(async () => expect(await sees(locationId, person.token)).toBe(200));
    expect(await waitingOn(locationId, owner.token)).toEqual([]);
  });

  test("a repeat under the same key makes no second share", async () => {
    const { locationId, owner } = await mintPlace();
    const options = {
      ...WITH_MAIL,
      token: owner.token,
      body: { email: newAddress(), capabilities: { LocationView: "Read" } },
      headers: { "idempotency-key": newId() },
    };
    const first = await call("POST", path(locationId, "grants"), options);
    const again = await call("POST", path(locationId, "grants"), options);
    expect([first.status, await first.json()]).toEqual([again.status, await again.json()]);
    expect(await waitingOn(locationId, owner.token)).toHaveLength(1);
  });

  test("an existing grant of the person stays as it is", async () => {
    const { locationId, organizationId, owner, email, share } = await mintWaiting();
    const invitation = await mailedTokenOf(share.id);
    const { accessToken, user } = await register({ email });
    // A member is found by the address, verified or not.
    await addMember(organizationId, user.id, "guest");
    await env.DB.prepare("UPDATE invitations SET email = ? WHERE id = ?").bind("other@people.test", share.id).run();
    const body = { email, capabilities: { LocationView: "Write" } };
    await expectJson(grantSchema, 201, "POST", path(locationId, "grants"), { token: owner.token, body });
    await env.DB.prepare("UPDATE invitations SET email = ? WHERE id = ?").bind(email, share.id).run();
    expect((await accept(accessToken, invitation)).status).toBe(200);
    expect(await grantsOn(locationId, owner.token)).toMatchObject([{ capabilities: { LocationView: "Write" } }]);
  });
});

test("people who may not share a resource see none of its waiting shares", async () => {
  const { organizationId, locationId, share } = await mintWaiting();
  const member = await mintMember(organizationId, "member");
  const { owner: stranger } = await mintOrganization();
  for (const more of ["", `/${share.id}`]) {
    const at = path(locationId, `waiting-shares${more}`);
    expect([(await call("GET", at, member)).status, (await call("GET", at, stranger)).status]).toEqual([403, 404]);
  }
});
