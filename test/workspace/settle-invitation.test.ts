import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { z } from "zod";
import type { InvitationRedeemer } from "../../src/access";
import { register } from "../../src/access/accounts/sign-in";
import { SHAREABLE_DOCUMENTS } from "../../src/documents";
import { newId } from "../../src/platform/ids";
import type { Job } from "../../src/platform/jobs/handlers";
import { allKinds, invitationRedeemer } from "../../src/workspace";
import { settleInvitation } from "../../src/workspace/invitations/registrations";
import { call, expectJson, problem } from "../support/call";
import { mintOrganization, mintPerson } from "../support/factories";
import { runThrough, systemContext } from "../support/jobs";
import { setResidence } from "../support/moves";
import { PASSWORD } from "../support/sessions";

/*
 * A registration reserves its invitation in the workspace, makes the account in the directory, and redeems the invitation. The
 * worker can stop after each step, or be slow. Then the job completes or undoes the reservation, as the directory says.
 */

const kinds = allKinds([SHAREABLE_DOCUMENTS]);

const invited = z.object({ invitation: z.object({ id: z.uuid(), token: z.string() }) });

/** An open invitation to `email`. */
async function mintInvitation(email: string) {
  const { id: organizationId, owner } = await mintOrganization();
  const options = { token: owner.token, body: { email, role: "member" } };
  const { invitation } = await expectJson(invited, 201, "POST", `/v1/orgs/${organizationId}/members`, options);
  const state = async () => ({
    ...(await env.DB.prepare(
      "SELECT used_at IS NOT NULL AS used, registration_id IS NOT NULL AS held FROM invitations WHERE id = ?",
    )
      .bind(invitation.id)
      .first<{ used: number; held: number }>()),
    accounts: await env.DB.prepare("SELECT count(*) AS n FROM users WHERE email = ?").bind(email).first<number>("n"),
    members: await env.DB.prepare(
      "SELECT count(*) AS n FROM memberships JOIN people ON people.id = user_id WHERE organization_id = ? AND email = ?",
    )
      .bind(organizationId, email)
      .first<number>("n"),
  });
  return { organizationId, invitation, owner, state };
}

/** An invitation that a registration of `userId` has reserved, and whose worker stopped. */
async function mintReserved(userId: string, email: string) {
  const minted = await mintInvitation(email);
  const registrationId = newId();
  await env.DB.prepare("UPDATE invitations SET registration_id = ? WHERE id = ?")
    .bind(registrationId, minted.invitation.id)
    .run();
  const settle = (mustBeVerified: boolean) =>
    runThrough("settle-invitation", [{ invitationId: minted.invitation.id, registrationId, userId, mustBeVerified }]);
  return { settle, state: minted.state };
}

test("an invitation whose account was made is redeemed", async () => {
  const person = await mintPerson({ emailVerifiedAt: null });
  const { settle, state } = await mintReserved(person.userId, person.email);
  await settle(false);
  expect(await state()).toEqual({ used: 1, held: 1, accounts: 1, members: 1 });
  await settle(false);
  expect(await state()).toMatchObject({ used: 1, members: 1 });
});

test("an invitation whose account was not made can be used again", async () => {
  const { settle, state } = await mintReserved(newId(), `${newId()}@people.test`);
  await settle(false);
  expect(await state()).toEqual({ used: 0, held: 0, accounts: 0, members: 0 });
});

test("an account that waits for the proof of its address is not made a member", async () => {
  const waiting = await mintPerson({ emailVerifiedAt: null });
  const { settle, state } = await mintReserved(waiting.userId, waiting.email);
  await settle(true);
  expect(await state()).toEqual({ used: 0, held: 0, accounts: 1, members: 0 });
});

/** Runs the job of a registration, as if its time had come. */
async function settleNow(invitationId: string): Promise<void> {
  const row = await env.DB.prepare(
    "SELECT payload FROM jobs WHERE kind = 'settle-invitation' AND payload ->> 'invitationId' = ? ORDER BY created_at DESC LIMIT 1",
  )
    .bind(invitationId)
    .first<{ payload: string }>();
  const payload = JSON.parse(row?.payload ?? "null") as Job<"settle-invitation">["payload"];
  const outcome = await settleInvitation(kinds).run(systemContext(), { payload } as Job<"settle-invitation">);
  await outcome.change?.commit();
}

/** Registers `email` with an invitation; `between` runs after the reservation, before the account. */
function registerWith(email: string, token: string, between: () => Promise<unknown>) {
  const slow: InvitationRedeemer = {
    async find(context, given) {
      const found = await invitationRedeemer(kinds).find(context, given);
      return {
        ...found,
        async reserve(userId) {
          const registrationId = await found.reserve(userId);
          await between();
          return registrationId;
        },
      };
    },
  };
  const context = { ...systemContext(), origin: { ip: `ip-${newId()}`, userAgent: "", language: "en" as const } };
  return register(context, slow, { email, password: PASSWORD, displayName: "Ada", invitation: token });
}

test("a registration that is slower than its reservation makes no account, and the invitation can be used again", async () => {
  const email = `${newId()}@people.test`;
  const { invitation, state } = await mintInvitation(email);
  const late = registerWith(email, invitation.token, () => settleNow(invitation.id));
  await expect(late).rejects.toMatchObject({ code: "invitation-ended" });
  expect(await state()).toEqual({ used: 0, held: 0, accounts: 0, members: 0 });
  await registerWith(email, invitation.token, async () => {});
  expect(await state()).toEqual({ used: 1, held: 1, accounts: 1, members: 1 });
});

test("when a slow registration loses the invitation to the next registration, only the next makes an account", async () => {
  const email = `${newId()}@people.test`;
  const { invitation, state } = await mintInvitation(email);
  const late = registerWith(email, invitation.token, async () => {
    await settleNow(invitation.id);
    await registerWith(email, invitation.token, async () => {});
  });
  await expect(late).rejects.toMatchObject({ code: "invitation-ended" });
  expect(await state()).toEqual({ used: 1, held: 1, accounts: 1, members: 1 });
});

test("a registration and its job at the same time leave a member with a used invitation, or neither", async () => {
  for (let n = 0; n < 12; n++) {
    const email = `${newId()}@people.test`;
    const { invitation, state } = await mintInvitation(email);
    let settled: Promise<unknown> = Promise.resolve();
    const registered = registerWith(email, invitation.token, async () => {
      settled = settleNow(invitation.id);
      // The job gets a lead of some steps, which grows.
      for (let step = 0; step < n * 4; step++) await Promise.resolve();
    });
    const made = await registered.then(
      () => true,
      () => false,
    );
    // The commits of the request and of the job race: the loser finds the invitation used.
    await settled.catch(() => undefined);
    await settleNow(invitation.id).catch(() => undefined);
    const whole = { used: 1, held: 1, accounts: 1, members: 1 };
    expect(await state()).toEqual(made ? whole : { used: 0, held: 0, accounts: 0, members: 0 });
  }
});

test("an invitation is not withdrawn during a registration with it, and then the person is a member", async () => {
  const email = `${newId()}@people.test`;
  const { organizationId, invitation, owner, state } = await mintInvitation(email);
  const path = `/v1/orgs/${organizationId}/invitations/${invitation.id}`;
  await registerWith(email, invitation.token, async () => {
    const refused = await call("DELETE", path, { token: owner.token });
    expect([refused.status, problem.parse(await refused.json()).code]).toEqual([409, "conflict"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });
  expect(await state()).toEqual({ used: 1, held: 1, accounts: 1, members: 1 });
  expect((await call("DELETE", path, { token: owner.token })).status).toBe(404);
});

test("a new invitation to the same address waits for a registration with the earlier invitation", async () => {
  const email = `${newId()}@people.test`;
  const { organizationId, invitation, owner, state } = await mintInvitation(email);
  const again = () =>
    call("POST", `/v1/orgs/${organizationId}/members`, { token: owner.token, body: { email, role: "guest" } });
  await registerWith(email, invitation.token, async () => {
    const refused = await again();
    expect([refused.status, problem.parse(await refused.json()).code]).toEqual([409, "conflict"]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  });
  expect(await state()).toEqual({ used: 1, held: 1, accounts: 1, members: 1 });
});

test("a registration during a move of the organization is completed by the job", async () => {
  const email = `${newId()}@people.test`;
  const { organizationId, invitation, state } = await mintInvitation(email);
  await registerWith(email, invitation.token, () => setResidence(organizationId, "leaving"));
  expect(await state()).toEqual({ used: 0, held: 1, accounts: 1, members: 0 });
  await expect(settleNow(invitation.id)).rejects.toMatchObject({ code: "workspace-moving" });
  await setResidence(organizationId, "here");
  await settleNow(invitation.id);
  expect(await state()).toEqual({ used: 1, held: 1, accounts: 1, members: 1 });
});
