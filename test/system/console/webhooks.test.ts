import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { expectSound, fill, press, sees, textOf } from "../support/console";
import { enter, page, service, site, useDesk } from "../support/desk";

/* Webhooks in the console, with a receiver on this machine that verifies requests with the library of Standard Webhooks. */

let receiver: Server;
let address: string;
let status = 204;
const requests: { headers: IncomingHttpHeaders; body: string }[] = [];

beforeAll(async () => {
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
afterAll(() => receiver.close());

useDesk({ settings: { WEBHOOK_LOOPBACK: "true" }, site: "plain" }, () => enter("settings/webhooks"));

/** Waits until the receiver has this number of requests. */
const arrived = (count: number) => eventually(() => expect(requests).toHaveLength(count), LONG_PATIENCE);

const payload = z.object({ type: z.string(), data: z.looseObject({ name: z.string().nullable() }) });

/** The payload of a request. @throws if another author's library does not accept it */
function verified(secret: string, n: number): z.infer<typeof payload> {
  const request = requests[n];
  if (request === undefined) throw new Error(`no request ${n}`);
  return payload.parse(new Webhook(secret).verify(request.body, request.headers as Record<string, string>));
}

const annotate = (title: string) =>
  service.api(z.unknown(), "POST", `/v1/spatial/locations/${site.locationId}/annotations`, site.token, {
    kind: "note",
    title,
  });

let secret: string;

test("a webhook is created with its secret, which is shown once", async () => {
  await sees(page, "No program is told yet");
  await expectSound(page, "no webhooks");
  await press(page, "New webhook");
  await fill(page, { name: "Archive" });
  await page.click("dialog [name=url]", { count: 3 });
  await page.type("dialog [name=url]", "https://10.0.0.1/");
  await page.click("dialog fieldset:nth-of-type(2) label");
  await expectSound(page, "new webhook");
  await press(page, "Create the webhook");
  await sees(page, "The service does not call private, local and reserved addresses.");
  await page.click("dialog [name=url]", { count: 3 });
  await page.type("dialog [name=url]", address);
  await press(page, "Create the webhook");
  await sees(page, "it is shown only once");
  secret = await textOf(page, "dialog .secret");
  await expectSound(page, "secret of a webhook");
  await press(page, "Done");
  await sees(page, "Nothing was sent yet");
  expect(await page.content()).not.toContain(secret);
  await expectSound(page, "webhooks");
});

test("an event reaches the receiver, and its library verifies it", async () => {
  await annotate("Crack in the wall");
  await arrived(1);
  expect(verified(secret, 0)).toMatchObject({ type: "annotation.created", data: { name: "Crack in the wall" } });
  const [request] = requests;
  const forged = new Webhook(secret);
  expect(() => forged.verify(`${request?.body} `, request?.headers as Record<string, string>)).toThrow();
});

test("the deliveries are listed, opened and repeated", async () => {
  await page.click("main ::-p-text(Archive)");
  await sees(page, "Deliveries are kept for 30 days.");
  await sees(page, "Accepted");
  await expectSound(page, "a webhook");
  await page.click("main section .list .btn");
  await sees(page, "Crack in the wall");
  await expectSound(page, "a delivery");
  await press(page, "Send again");
  await sees(page, "It is sent again.");
  await arrived(2);
  expect(requests[1]?.headers["webhook-id"]).toBe(requests[0]?.headers["webhook-id"]);
  verified(secret, 1);
});

test("the secret is rotated: both secrets verify the next request", async () => {
  await press(page, "New secret");
  await sees(page, "Requests are signed with both secrets for one day.");
  await page.click("dialog button[type=submit]");
  await sees(page, "it is shown only once");
  const next = await textOf(page, "dialog .secret");
  await press(page, "Done");
  await press(page, "Send a test");
  await arrived(3);
  expect(verified(secret, 2)).toEqual(verified(next, 2));
  expect(verified(next, 2).type).toBe("ping");
  await sees(page, "The former secret signs until");
});

test("a failure is shown with its tries, and the webhook is switched off and deleted", async () => {
  status = 500;
  await press(page, "Send a test");
  await arrived(4);
  // Nobody reads the page again: it looks by itself.
  await sees(page, "Answer 500");
  status = 204;
  // The first pause of a delivery takes seconds.
  await eventually(async () => {
    expect(await page.$$eval("main section .list li", (lines) => lines.map((line) => line.textContent))).toEqual(
      Array.from({ length: 3 }, () => expect.stringContaining("Accepted")),
    );
  }, LONG_PATIENCE);
  await press(page, "Switch off");
  await sees(page, "The webhook is off. Nothing is sent.");
  // The page is read again, and then has other buttons at other places.
  await sees(page, "Switch on");
  await press(page, "Delete");
  await sees(page, "Delete Archive?");
  await page.click("dialog button[type=submit]");
  await sees(page, "Archive is deleted.");
  await sees(page, "No program is told yet");
});
