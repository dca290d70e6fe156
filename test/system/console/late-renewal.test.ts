import { createServer, request as forward, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { openTab } from "../support/browser";
import { fill, press, sees, signInAt } from "../support/console";
import { browser, service, useDesk } from "../support/desk";

/* A slow network between the browser and the service: answers to renewals are held back. */

const PASSWORD = "correct horse battery";

let isHolding = false;
/** Sends the answers that are held back. */
const held: (() => void)[] = [];
/** The paths of the calls that were answered. */
const answered: string[] = [];

function pass(asked: IncomingMessage, answer: ServerResponse): void {
  const path = asked.url ?? "";
  const { method, headers } = asked;
  const onward = forward(new URL(path, service.url).href, { method, headers }, (given) => {
    const send = () => {
      answered.push(path);
      answer.writeHead(given.statusCode ?? 500, given.rawHeaders);
      given.pipe(answer);
    };
    if (isHolding && path === "/v1/auth/refresh") held.push(send);
    else send();
  });
  onward.on("error", () => answer.destroy());
  asked.pipe(onward);
}

const network = createServer(pass);
// Live events come without a WebSocket, too.
network.on("upgrade", (_, socket) => socket.destroy());
await new Promise<void>((done) => network.listen(0, "127.0.0.1", done));
const url = `http://127.0.0.1:${(network.address() as AddressInfo).port}`;
afterAll(() => {
  network.closeAllConnections();
  network.close();
});

useDesk({ settings: () => ({ PUBLIC_BASE_URL: url }) });

async function newPerson(displayName: string) {
  const person = { email: `${crypto.randomUUID()}@people.test`, password: PASSWORD };
  const made = z.object({ accessToken: z.string() });
  const body = { ...person, displayName };
  return { ...person, token: (await service.api(made, "POST", "/v1/auth/register", undefined, body)).accessToken };
}

const ENDING = `(() => {
  const tokens = JSON.parse(sessionStorage.getItem("session"));
  sessionStorage.setItem("session", JSON.stringify({ ...tokens, expiresAtUtc: new Date(0).toISOString() }));
})()`;

test("a late answer to a renewal in one tab leaves the session that another tab has begun meanwhile", async () => {
  const [ada, ben] = [await newPerson("Ada Lovelace"), await newPerson("Ben Nevis")];
  const { id } = await service.api(z.object({ id: z.string() }), "POST", "/v1/orgs", ada.token, { name: "Harbour" });
  const invited = z.object({ invitation: z.object({ token: z.string() }) });
  const { invitation } = await service.api(invited, "POST", `/v1/orgs/${id}/members`, ada.token, {
    email: ben.email,
    role: "member",
  });
  const context = await browser.createBrowserContext();
  const [one, two] = [await openTab(context), await openTab(context)];
  await signInAt(one, `${url}/console/settings/profile`, ada);
  await two.goto(`${url}/invitations#${invitation.token}`);
  await sees(two, `You are signed in with the address ${ada.email}.`);
  await press(two, "I have an account");
  await fill(two, { password: PASSWORD });

  isHolding = true;
  answered.length = 0;
  const ending = await one.evaluateOnNewDocument(ENDING);
  const renewed = one.waitForResponse((response) => response.url().endsWith("/v1/auth/refresh"));
  // It does not end: its page waits for the answer.
  void one.reload().catch(() => undefined);
  await eventually(async () => expect(held).toHaveLength(1), LONG_PATIENCE);
  await one.removeScriptToEvaluateOnNewDocument(ending.identifier);
  await press(two, "Sign in and join");
  // The sign-in waits for its turn, or was answered first.
  await eventually(async () => {
    const waiting = Number(await two.evaluate("navigator.locks.query().then(({ pending }) => pending.length)"));
    expect(waiting > 0 || answered.includes("/v1/auth/login")).toBe(true);
  }, LONG_PATIENCE);
  isHolding = false;
  for (const send of held.splice(0)) send();
  expect((await renewed).status()).toBe(200);
  await eventually(async () => expect(answered).toContain("/v1/invitations/accept"), LONG_PATIENCE);

  // A tab that is opened later has the cookie alone.
  await Promise.all([one.close(), two.close()]);
  const later = await openTab(context);
  await later.goto(`${url}/console/settings/profile`);
  await later.waitForSelector("[aria-label='BN, account of Ben Nevis']");
  await context.close();
});
