import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { loadFacts } from "../../src/access/permission/load";
import { users } from "../../src/access/tables";
import { openContext } from "../../src/compose";
import { openDatabases } from "../../src/platform/db/database";
import { newId } from "../../src/platform/ids";
import type { Mail } from "../../src/platform/mail";
import { DAY } from "../../src/platform/time";
import { inviteMember } from "../../src/workspace/members/members";
import { invitations } from "../../src/workspace/tables";
import { call, expectJson } from "../support/call";
import { mintMember, mintOrganization, mintPerson, mintToken } from "../support/factories";
import { freshIp, PASSWORD, register, statusOf, tryLogin } from "../support/sessions";

const { directory, workspace: db } = openDatabases(env.DB);

const invitation = z.object({
  id: z.string(),
  email: z.string(),
  role: z.string(),
  token: z.string(),
  link: z.string(),
});
const invited = z.object({ member: z.null(), invitation });
const list = z.object({ items: z.array(z.object({ id: z.string(), email: z.string() })) });
const accepted = z.object({ organizationId: z.string(), role: z.string() });

const newAddress = () => `${newId()}@people.test`;

async function invite(organizationId: string, token: string, email = newAddress(), role = "member") {
  const options = { token, body: { email, role } };
  return (await expectJson(invited, 201, "POST", `/v1/orgs/${organizationId}/members`, options)).invitation;
}
/** Invites through a service with mail. @returns the secret that only the mail contains. */
async function inviteByMail(organizationId: string, inviterId: string, email: string) {
  const sent: Mail[] = [];
  const { context } = openContext(env, () => {});
  const facts = await loadFacts(
    context.workspace,
    inviterId,
    { organizationIds: null, ceiling: null, isProven: true },
    Date.now(),
  );
  const caller = {
    kind: "pat",
    tokenId: newId(),
    userId: inviterId,
    isAdmin: false,
    expiresAt: null,
    language: null,
    facts,
  } as const;
  const mailer = async (mail: Mail) => sent.push(mail) > 0;
  const { invitation } = await inviteMember({ ...context, caller, mailer }, organizationId, { email, role: "guest" });
  if (invitation === null) throw new Error("became a member at once");
  expect(sent).toMatchObject([{ to: email }]);
  const mailed = /invitations#(\S+)/.exec(sent[0]?.text ?? "")?.[1] ?? "";
  return { made: invitation, mailed };
}
const accept = (caller: { token: string }, token: string) =>
  call("POST", "/v1/invitations/accept", { token: caller.token, body: { token } });

describe("inviting an address without an account", () => {
  test("answers with a link once, and stores only its hash", async () => {
    const { id, owner } = await mintOrganization();
    const made = await invite(id, owner.token);
    expect(made.token).toMatch(/^[0-9a-f]{64}$/);
    expect(made.link).toBe(`http://workspace.test/invitations#${made.token}`);
    const listed = await call("GET", `/v1/orgs/${id}/invitations`, owner);
    const text = await listed.text();
    expect(list.parse(JSON.parse(text)).items).toEqual([{ id: made.id, email: made.email }]);
    expect(text).not.toContain(made.token);
    const rows = await db.select().from(invitations).where(eq(invitations.id, made.id));
    expect(JSON.stringify(rows)).not.toContain(made.token);
  });

  test("again replaces the first invitation", async () => {
    const { id, owner } = await mintOrganization();
    const first = await invite(id, owner.token);
    const second = await invite(id, owner.token, first.email, "guest");
    const { items } = await expectJson(list, 200, "GET", `/v1/orgs/${id}/invitations`, owner);
    expect(items.map((i) => i.id)).toEqual([second.id]);
    const person = await mintPerson({ email: first.email });
    expect((await accept(person, first.token)).status).toBe(410);
    expect((await accept(person, second.token)).status).toBe(200);
  });

  test("treats an unverified address like an unknown one", async () => {
    const { id, owner } = await mintOrganization();
    const squatter = await mintPerson({ emailVerifiedAt: null });
    await invite(id, owner.token, squatter.email);
    expect((await call("GET", `/v1/orgs/${id}`, squatter)).status).toBe(404);
  });

  test("mails a link with a separate secret when mail is configured", async () => {
    const { id, owner } = await mintOrganization();
    const { made, mailed } = await inviteByMail(id, owner.userId, newAddress());
    expect(made.isMailed).toBe(true);
    expect(mailed).toMatch(/^[0-9a-f]{64}$/);
    expect(mailed).not.toBe(made.token);
    const rows = await db.select().from(invitations).where(eq(invitations.id, made.id));
    expect(JSON.stringify(rows)).not.toContain(mailed);
  });
});

describe("the link of an invitation", () => {
  test("shows the organization for either secret while it can be used", async () => {
    const { id, owner } = await mintOrganization();
    const preview = (token: string) => call("POST", "/v1/invitations/preview", { body: { token } });
    const { made, mailed } = await inviteByMail(id, owner.userId, newAddress());
    for (const token of [made.token, mailed])
      expect(await (await preview(token)).json()).toEqual({
        email: made.email,
        organizationName: expect.any(String),
        role: "guest",
        share: null,
      });
    expect((await call("DELETE", `/v1/orgs/${id}/invitations/${made.id}`, owner)).status).toBe(204);
    for (const token of [made.token, "0".repeat(64)]) expect((await preview(token)).status).toBe(410);
  });
});

describe("registering through an invitation", () => {
  test("by the inviter's link joins with the invited role and does not verify the address", async () => {
    const { id, owner } = await mintOrganization();
    const made = await invite(id, owner.token, newAddress(), "admin");
    const { user, accessToken } = await register({ email: made.email, invitation: made.token });
    expect(user.emailVerified).toBe(false);
    const seen = await expectJson(z.object({ role: z.string() }), 200, "GET", `/v1/orgs/${id}`, { token: accessToken });
    expect(seen.role).toBe("admin");
    expect((await expectJson(list, 200, "GET", `/v1/orgs/${id}/invitations`, owner)).items).toEqual([]);
  });

  test("by the mailed link verifies the address; either link uses the invitation up", async () => {
    const { id, owner } = await mintOrganization();
    const { made, mailed } = await inviteByMail(id, owner.userId, newAddress());
    const { user, accessToken } = await register({ email: made.email, invitation: mailed });
    expect(user.emailVerified).toBe(true);
    expect((await call("GET", `/v1/orgs/${id}`, { token: accessToken })).status).toBe(200);
    const body = { email: made.email, password: PASSWORD, displayName: "Ada", invitation: made.token };
    const again = await call("POST", "/v1/auth/register", { body, headers: { "cf-connecting-ip": freshIp() } });
    expect(again.status).toBe(410);
  });

  test("by the mailed link takes over an account that another person created with the address", async () => {
    const email = newAddress();
    const squatter = await register({ email });
    const { id, owner } = await mintOrganization();
    const { made, mailed } = await inviteByMail(id, owner.userId, email);
    const body = { email, password: "another horse battery", displayName: "Maria" };
    const tryWith = (invitation: string) =>
      call("POST", "/v1/auth/register", { body: { ...body, invitation }, headers: { "cf-connecting-ip": freshIp() } });
    expect((await tryWith(made.token)).status).toBe(409);
    const { user, accessToken } = await register({ ...body, invitation: mailed });
    expect(user).toMatchObject({ id: squatter.user.id, emailVerified: true, displayName: "Maria" });
    expect((await call("GET", `/v1/orgs/${id}`, { token: accessToken })).status).toBe(200);
    expect(await statusOf(squatter.accessToken)).toBe(401);
    expect((await tryLogin(email, PASSWORD)).status).toBe(401);
    expect((await tryLogin(email, body.password)).status).toBe(200);
  });

  test("works once, even for concurrent tries", async () => {
    const { id, owner } = await mintOrganization();
    const made = await invite(id, owner.token);
    const body = { email: made.email, password: PASSWORD, displayName: "Ada", invitation: made.token };
    const tries = Array.from({ length: 4 }, () =>
      call("POST", "/v1/auth/register", { body, headers: { "cf-connecting-ip": freshIp() } }),
    );
    const statuses = (await Promise.all(tries)).map((r) => r.status).sort();
    expect(statuses[0]).toBe(201);
    for (const status of statuses.slice(1)) expect([409, 410]).toContain(status);
    const other = { ...body, email: newAddress() };
    const late = await call("POST", "/v1/auth/register", { body: other, headers: { "cf-connecting-ip": freshIp() } });
    expect(late.status).toBe(410);
  });
});

describe("accepting an invitation with an account", () => {
  test("joins once, even for concurrent tries", async () => {
    const { id, owner } = await mintOrganization();
    const person = await mintPerson({ emailVerifiedAt: null });
    const made = await invite(id, owner.token, person.email, "guest");
    const answers = await Promise.all(Array.from({ length: 4 }, () => accept(person, made.token)));
    const statuses = answers.map((r) => r.status).sort();
    expect(statuses).toEqual([200, 410, 410, 410]);
    const ok = answers.find((r) => r.status === 200);
    expect(accepted.parse(await ok?.json())).toEqual({ organizationId: id, role: "guest" });
  });

  test("by the mailed link verifies the address of the account", async () => {
    const { id, owner } = await mintOrganization();
    const [one, two] = [await mintPerson({ emailVerifiedAt: null }), await mintPerson({ emailVerifiedAt: null })];
    const verified = async (person: { userId: string }) =>
      (await directory.select().from(users).where(eq(users.id, person.userId)))[0]?.emailVerifiedAt !== null;
    expect((await accept(one, (await inviteByMail(id, owner.userId, one.email)).mailed)).status).toBe(200);
    expect(await verified(one)).toBe(true);
    expect((await accept(two, (await inviteByMail(id, owner.userId, two.email)).made.token)).status).toBe(200);
    expect(await verified(two)).toBe(false);
  });

  test("needs an account with its address and an unrestricted token", async () => {
    const { id, owner } = await mintOrganization();
    const person = await mintPerson({ emailVerifiedAt: null });
    const made = await invite(id, owner.token, person.email);
    expect((await accept(await mintPerson(), made.token)).status).toBe(403);
    const narrow = await mintToken(person.userId, { capabilities: { Documents: "Read" } });
    expect((await accept(narrow, made.token)).status).toBe(403);
    expect((await call("POST", "/v1/invitations/accept", { body: { token: made.token } })).status).toBe(401);
    expect((await accept(person, made.token)).status).toBe(200);
  });

  test("is refused after seven days, after a withdrawal, and for unknown tokens", async () => {
    const { id, owner } = await mintOrganization();
    const person = await mintPerson({ emailVerifiedAt: null });
    const made = await invite(id, owner.token, person.email);
    const [row] = await db.select().from(invitations).where(eq(invitations.id, made.id));
    expect((row?.expiresAt ?? 0) - (row?.createdAt ?? 0)).toBe(7 * DAY);
    await db.update(invitations).set({ expiresAt: Date.now() }).where(eq(invitations.id, made.id));
    expect((await accept(person, made.token)).status).toBe(410);
    const next = await invite(id, owner.token, person.email);
    const plain = await mintMember(id);
    expect((await call("DELETE", `/v1/orgs/${id}/invitations/${next.id}`, plain)).status).toBe(403);
    const foreign = await mintOrganization();
    const across = `/v1/orgs/${foreign.id}/invitations/${next.id}`;
    expect((await call("DELETE", across, foreign.owner)).status).toBe(404);
    expect((await call("DELETE", `/v1/orgs/${id}/invitations/${next.id}`, owner)).status).toBe(204);
    expect((await accept(person, next.token)).status).toBe(410);
    expect((await accept(person, "0".repeat(64))).status).toBe(410);
  });

  test("ends when its inviter may no longer give the role", async () => {
    const { id, owner } = await mintOrganization();
    const [one, two] = [await mintMember(id, "admin"), await mintMember(id, "admin")];
    const person = await mintPerson({ emailVerifiedAt: null });
    const first = await invite(id, one.token, person.email);
    const demote = { token: owner.token, body: { role: "member" } };
    expect((await call("PATCH", `/v1/orgs/${id}/members/${one.userId}`, demote)).status).toBe(200);
    expect((await accept(person, first.token)).status).toBe(410);
    const override = (overrides: Record<string, string>) =>
      call("PATCH", `/v1/orgs/${id}/members/${two.userId}`, { token: owner.token, body: { overrides } });
    const cut = await invite(id, two.token, person.email);
    expect((await override({ Documents: "Read" })).status).toBe(200);
    expect((await accept(person, cut.token)).status).toBe(410);
    expect((await override({})).status).toBe(200);
    const second = await invite(id, two.token, person.email);
    // The overrides equal the levels of the role, so no right becomes smaller.
    expect((await override({ Documents: "Write" })).status).toBe(200);
    const { items } = await expectJson(list, 200, "GET", `/v1/orgs/${id}/invitations`, owner);
    expect(items.map((item) => item.id)).toEqual([second.id]);
    expect((await call("DELETE", `/v1/orgs/${id}/members/${two.userId}`, owner)).status).toBe(204);
    expect((await accept(person, second.token)).status).toBe(410);
  });
});
