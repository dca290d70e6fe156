import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { z } from "zod";
import { newId } from "../../src/platform/ids";
import { expectJson } from "../support/call";
import { mintOrganization, mintPerson } from "../support/factories";
import { runThrough } from "../support/jobs";

/*
 * A registration reserves its invitation in the workspace, makes the account in the directory, and redeems the invitation. The
 * worker can stop after each step: then the job decides by the account.
 */

const invited = z.object({ invitation: z.object({ id: z.uuid() }) });

/** An invitation that a registration has reserved for `userId`, and whose worker stopped. */
async function mintReserved(userId: string, email: string) {
  const { id: organizationId, owner } = await mintOrganization();
  const options = { token: owner.token, body: { email, role: "member" } };
  const { invitation } = await expectJson(invited, 201, "POST", `/v1/orgs/${organizationId}/members`, options);
  await env.DB.prepare("UPDATE invitations SET reserved_for = ? WHERE id = ?").bind(userId, invitation.id).run();
  const settle = (mustBeVerified: boolean) =>
    runThrough("settle-invitation", [{ invitationId: invitation.id, userId, mustBeVerified }]);
  const state = async () => ({
    ...(await env.DB.prepare(
      "SELECT used_at IS NOT NULL AS used, reserved_for AS reservedFor FROM invitations WHERE id = ?",
    )
      .bind(invitation.id)
      .first<{ used: number; reservedFor: string | null }>()),
    members: await env.DB.prepare("SELECT count(*) AS n FROM memberships WHERE organization_id = ? AND user_id = ?")
      .bind(organizationId, userId)
      .first<number>("n"),
  });
  return { settle, state };
}

test("an invitation whose account was made is redeemed", async () => {
  const person = await mintPerson({ emailVerifiedAt: null });
  const { settle, state } = await mintReserved(person.userId, person.email);
  await settle(false);
  expect(await state()).toEqual({ used: 1, reservedFor: person.userId, members: 1 });
  await settle(false);
  expect(await state()).toMatchObject({ used: 1, members: 1 });
});

test("an invitation whose account was not made can be used again", async () => {
  const { settle, state } = await mintReserved(newId(), `${newId()}@people.test`);
  await settle(false);
  expect(await state()).toEqual({ used: 0, reservedFor: null, members: 0 });
});

test("an account that waits for the proof of its address is not made a member", async () => {
  const waiting = await mintPerson({ emailVerifiedAt: null });
  const { settle, state } = await mintReserved(waiting.userId, waiting.email);
  await settle(true);
  expect(await state()).toEqual({ used: 0, reservedFor: null, members: 0 });
});
