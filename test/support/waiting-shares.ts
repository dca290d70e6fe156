import { expect } from "vitest";
import type { CapabilityMap, GrantTarget } from "../../src/access";
import { SHAREABLE_DOCUMENTS } from "../../src/documents";
import { newId, newIdIn } from "../../src/platform/ids";
import type { Mail } from "../../src/platform/mail";
import { allKinds, mailWaitingShare } from "../../src/workspace";
import { waitingShareSchema } from "../../src/workspace/grants/waiting-shares";
import { INVITATION_LIFETIME_MS } from "../../src/workspace/limits";
import { invitations } from "../../src/workspace/tables";
import { type CallOptions, call, expectJson } from "./call";
import { contextOf } from "./jobs";

/* Shares that wait for a person. A service without a mail service refuses them. */

/** A service with a mail service, which takes every mail. */
export const WITH_MAIL = {
  vars: { MAIL_FROM: "service@workspace.test" },
  bindings: { MAIL: { send: async () => undefined } },
} satisfies CallOptions;

/** Writes a waiting share directly into the database of its organization. @returns its id */
export async function mintWaitingShare(
  organizationId: string,
  target: GrantTarget,
  targetId: string,
  capabilities: CapabilityMap,
): Promise<string> {
  const { workspace, now } = await contextOf(organizationId);
  const id = newIdIn(organizationId);
  await workspace.insert(invitations).values({
    ...{ id, organizationId, email: `${id}@people.test`, role: "guest", overrides: {}, secretHash: newId() },
    ...{ invitedBy: newId(), createdAt: now, expiresAt: now + INVITATION_LIFETIME_MS, target, targetId, capabilities },
  });
  return id;
}

/** Shares a location with an address that has no account. */
export const shareWaiting = (locationId: string, token: string, email: string, more: Record<string, unknown> = {}) =>
  expectJson(waitingShareSchema, 202, "POST", `/v1/spatial/locations/${locationId}/grants`, {
    ...WITH_MAIL,
    token,
    body: { email, capabilities: { LocationView: "Read" }, ...more },
  });

/** Runs the job that mails the link of a waiting share. @returns the mails */
export async function mailsOfShare(invitationId: string): Promise<Mail[]> {
  const sent: Mail[] = [];
  const context = { ...(await contextOf(invitationId)), mailer: async (mail: Mail) => sent.push(mail) > 0 };
  const outcome = await mailWaitingShare(allKinds([SHAREABLE_DOCUMENTS])).run(context, {
    ...{ id: "", kind: "mail-waiting-share", tenantId: null, state: null, attempts: 1, requestedBy: null },
    payload: { invitationId, language: "en" },
    progress: { done: 0, total: 0 },
  });
  await outcome.change?.commit();
  return sent;
}

/** The secret that only the mail of a waiting share contains. */
export async function mailedTokenOf(invitationId: string): Promise<string> {
  const [mail] = await mailsOfShare(invitationId);
  const token = /invitations#([0-9a-f]{64})\n/.exec(mail?.text ?? "")?.[1];
  expect(token).toBeDefined();
  return token ?? "";
}

export const accept = (token: string | undefined, invitation: string): Promise<Response> =>
  call("POST", "/v1/invitations/accept", { token, body: { token: invitation } });
