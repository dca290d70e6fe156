import { expect, test } from "vitest";
import { z } from "zod";
import { profileSchema } from "../../src/access/accounts/profile";
import { mailPasswordReset } from "../../src/access/accounts/resets";
import { notificationSchema } from "../../src/notifications/inbox";
import type { Mail } from "../../src/platform/mail";
import { invitationMail } from "../../src/workspace/messages";
import { call, codeOf, expectJson } from "../support/call";
import { mintGrant, mintLocation, mintOrganization, type Person } from "../support/factories";
import { announceEvent, HubClient } from "../support/hub";
import { systemContext } from "../support/jobs";
import { mintNotification } from "../support/notifications";
import { mintSignedIn } from "../support/sessions";

/* Notifications and mails have the language of their reader: the choice of the account, else the language of the browser. */

const page = z.looseObject({ items: z.array(notificationSchema) });
const titleFor = async ({ token }: Pick<Person, "token">, headers: Record<string, string> = {}) =>
  (await expectJson(page, 200, "GET", "/v1/notifications", { token, headers })).items[0]?.title;
const choose = ({ token }: Pick<Person, "token">, language: string | null) =>
  expectJson(profileSchema, 200, "PATCH", "/v1/auth/me", { token, body: { language } });

const SHARED = {
  en: "A location was shared with you",
  de: "Ein Standort wurde mit Ihnen geteilt",
  fr: "Un site a été partagé avec vous",
};

/** Shares a location with a person. @returns what announces that. */
async function share({ userId }: Pick<Person, "userId">) {
  const { id: organizationId } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  const grantId = await mintGrant({ organizationId }, userId, "location", location.id, { LocationView: "Read" });
  return () => announceEvent({ type: "grant-given", grantId, actorUserId: null });
}

test("a notification has the language of the browser that reads it, and two readers have two languages", async () => {
  const reader = await mintSignedIn();
  await (await share(reader))();
  expect(await titleFor(reader)).toBe(SHARED.en);
  expect(await titleFor(reader, { "accept-language": "de-CH, de;q=0.9" })).toBe(SHARED.de);
  expect(await titleFor(reader, { "accept-language": "ja, fr;q=0.3, de;q=0.2" })).toBe(SHARED.fr);
  expect(await titleFor(reader, { "accept-language": "ja" })).toBe(SHARED.en);
  expect(await titleFor(reader, { "accept-language": "de", cookie: "language=fr" })).toBe(SHARED.fr);
});

test("the choice of the account comes before the browser, for its session, its tokens and its connections", async () => {
  const reader = await mintSignedIn();
  const announce = await share(reader);
  expect((await choose(reader, "de")).user.language).toBe("de");
  const connection = await HubClient.connect(reader.token);
  await announce();
  const [told] = z.tuple([notificationSchema]).parse(await connection.expectEvent("NotificationReceived"));
  expect(told.title).toBe(SHARED.de);
  connection.close();
  expect(await titleFor(reader, { "accept-language": "fr" })).toBe(SHARED.de);
  expect((await choose(reader, null)).user.language).toBe(null);
  expect(await titleFor(reader, { "accept-language": "fr" })).toBe(SHARED.fr);
});

test("a language that the service does not have is refused", async () => {
  const { token } = await mintSignedIn();
  for (const language of ["ja", "DE", "", "de-CH"])
    expect(await codeOf(await call("PATCH", "/v1/auth/me", { token, body: { language } }))).toBe(
      "400 validation-failed",
    );
});

test("a notification from before has its own text in every language", async () => {
  const reader = await mintSignedIn();
  await mintNotification(reader.userId, { title: "You are a member now", originType: null });
  expect(await titleFor(reader, { "accept-language": "de" })).toBe("You are a member now");
});

/** Runs the job of an address like the queue, with a mail service. */
async function resetMail(email: string, language?: "fr"): Promise<string> {
  const sent: Mail[] = [];
  const context = { ...systemContext(), mailer: async (mail: Mail) => sent.push(mail) > 0 };
  const payload = { email, ...(language !== undefined && { language }) };
  const job = { id: "", kind: "mail-password-reset", tenantId: null, payload, state: null } as const;
  const run = { ...job, attempts: 1, progress: { done: 0, total: 0 }, requestedBy: null };
  await mailPasswordReset.run(context, run);
  return sent[0]?.subject ?? "";
}

test("the mail for a new password has the language of the account, else of the browser that asked", async () => {
  const reader = await mintSignedIn();
  expect(await resetMail(reader.email)).toBe("Set a new password");
  expect(await resetMail(reader.email, "fr")).toBe("Choisir un nouveau mot de passe");
  await choose(reader, "de");
  expect(await resetMail(reader.email, "fr")).toMatch(/Passwort/);
});

test("the mail of an invitation is written in the language of the person who invites", () => {
  const subjects = (["en", "de", "fr", "es"] as const).map(
    (language) => invitationMail(language, "Harbour", "").subject,
  );
  expect(new Set(subjects).size).toBe(4);
});
