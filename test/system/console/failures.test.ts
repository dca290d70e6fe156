import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { HTTPRequest } from "puppeteer-core";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";
import { sendImages } from "../support/cameras";
import { button, press, sees, textOf, visibleText } from "../support/console";
import { enter, page, service, site, siteClient, useDesk } from "../support/desk";

/* Tests what the console shows while an answer is missing, and when the service refuses. */

const MINUTE = 60_000;
const PDF = resolve("test/fixtures/documents/report.pdf");
const PROBLEM = {
  type: "about:blank",
  title: "Not available at the moment",
  status: 503,
  code: "unavailable",
  detail: "The database does not answer at the moment.",
  requestId: "0192f0c1-5b7e-7cc3-8d43-91a7c0e5b2f4",
};

const withId = z.looseObject({ id: z.string() });

/** Fits no address. */
const NOTHING = /^$/;

let cameraId: string;
let documentId: string;

useDesk({ site: "entitled" }, async () => {
  cameraId = await sendImages(service, site, "Gate", [MINUTE]);
  documentId = await uploadReport("report.pdf");
  await enter("locations");
  await page.setRequestInterception(true);
});
afterEach(() => page.removeAllListeners("request"));

/** Uploads a PDF. @returns the id of its document */
async function uploadReport(fileName: string): Promise<string> {
  const client = siteClient();
  const file = new Blob([readFileSync(PDF)], { type: "application/pdf" });
  return (await client.uploadDocument({ locationId: site.locationId, file, fileName })).id;
}
/** Adds a location beside the site's own. @returns its id */
async function addLocation(name: string): Promise<string> {
  const placed = z.object({ clusterId: z.string() });
  const beside = await service.api(placed, "GET", `/v1/spatial/locations/${site.locationId}`, site.token);
  return (await service.api(withId, "POST", "/v1/spatial/locations", site.token, { ...beside, name })).id;
}

/** Gives the requests with such an address to `handle`. Others go on. @returns a function that lets all go on */
function meet(address: RegExp, handle: (request: HTTPRequest) => void): () => void {
  page.removeAllListeners("request");
  let isOn = true;
  page.on("request", (request) => {
    if (isOn && address.test(request.url())) handle(request);
    else void request.continue();
  });
  return () => {
    isOn = false;
  };
}
const refuse = (request: HTTPRequest): void => {
  void request.respond({ status: 503, contentType: "application/problem+json", body: JSON.stringify(PROBLEM) });
};

test("while the organizations are read, the frame is there and says what is awaited", async () => {
  const waiting: HTTPRequest[] = [];
  const end = meet(/\/v1\/orgs\?/, (request) => waiting.push(request));
  await page.goto(`${service.url}/console/locations`);
  await sees(page, "Opening your workspace…");
  expect(await page.$(".rail a[href='/console/cameras']")).not.toBeNull();
  end();
  for (const request of waiting) void request.continue();
  await sees(page, "Quay");
});

test("organizations that cannot be read leave the frame, and a retry opens the view", async () => {
  const end = meet(/\/v1\/orgs\?/, refuse);
  await page.goto(`${service.url}/console/locations`);
  await sees(page, "Your organizations could not be read");
  expect(await page.$("[popovertarget=account]")).not.toBeNull();
  end();
  await press(page, "Try again");
  await sees(page, "Quay");
});

test("a list that cannot be read shows the reason, the id of the request and a retry", async () => {
  const end = meet(/\/v1\/spatial\/locations\?/, refuse);
  await page.goto(`${service.url}/console/locations`);
  await sees(page, PROBLEM.detail);
  expect(await textOf(page, "[role=alert]")).toContain(PROBLEM.requestId);
  end();
  await press(page, "Try again");
  await sees(page, "Quay");
});

test("an action that fails shows its reason and the id of the request in a message", async () => {
  meet(/\/v1\/spatial\/locations\/[^/]+\/restore$/, refuse);
  await page.goto(`${service.url}/console/locations/${site.locationId}`);
  await press(page, "Delete");
  await page.waitForSelector("dialog[open]");
  await page.click("dialog[open] .primary");
  await press(page, "Undo");
  await sees(page, PROBLEM.detail);
  expect(await textOf(page, ".toast")).toContain(PROBLEM.requestId);
  meet(NOTHING, refuse);
  await press(page, "Undo");
  await sees(page, "is back");
});

test("an archive that cannot be read says the reason and the id of the request, and goes on by itself", async () => {
  const end = meet(/\/captures\/times/, refuse);
  await page.goto(`${service.url}/console/cameras/${cameraId}`);
  await sees(page, `${PROBLEM.detail} Trying again…`);
  expect(await textOf(page, ".connection")).toContain(PROBLEM.requestId);
  end();
  await page.waitForSelector(".stage .picture");
  expect(await visibleText(page)).not.toContain(PROBLEM.requestId);
});

test("a report whose location cannot be read offers to make the PDF, and shows its steps", async () => {
  const template = {
    key: "round",
    displayName: "Daily round",
    contentTemplateJson: { notes: "" },
    bodyFieldPath: "notes",
  };
  const templates = `/v1/reports/templates/organizations/${site.organizationId}`;
  await service.api(withId, "POST", templates, site.token, template);
  const report = { templateKey: "round", title: "Round" };
  const reports = `/v1/reports/locations/${site.locationId}`;
  const { id } = await service.api(withId, "POST", reports, site.token, report);
  const refused: string[] = [];
  meet(/\/v1\/spatial\/locations\/[^/?]+$/, (request) => {
    refused.push(request.url());
    refuse(request);
  });
  await page.goto(`${service.url}/console/reports/${id}`);
  await press(page, "Make PDF");
  await page.waitForSelector(".pdf [role=status]:not(:empty)");
  expect(refused).not.toEqual([]);
});

test("a PDF whose file does not arrive offers to try again, and is shown from another link", async () => {
  const file = readFileSync(PDF);
  const asked: string[] = [];
  let links = 0;
  meet(/\/objects\/|\/download\?/, (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith("/download")) {
      const url = `${service.url}/objects/link-${++links}`;
      void request.respond({ contentType: "application/json", body: JSON.stringify({ url }) });
      return;
    }
    asked.push(pathname);
    // The first link has ended: its file does not arrive, and a second request for it gets no answer.
    if (!pathname.endsWith("link-1")) void request.respond({ contentType: "application/pdf", body: file });
    else if (asked.length === 1) void request.abort("internetdisconnected");
  });
  await page.goto(`${service.url}/console/documents/${documentId}`);
  await sees(page, "The document could not be opened");
  await press(page, "Try again");
  await page.waitForSelector(".pdfpage .textLayer span");
  expect(asked).toEqual(["/objects/link-1", "/objects/link-2"]);
});

/** Listens to the hub. @returns a function that waits until the tab has received a message with these words */
async function listen(): Promise<(...words: string[]) => Promise<void>> {
  const devtools = await page.createCDPSession();
  await devtools.send("Network.enable");
  const heard: string[] = [];
  devtools.on("Network.webSocketFrameReceived", ({ response }) => void heard.push(response.payloadData));
  onTestFinished(() => devtools.detach());
  return (...words) =>
    eventually(
      () => expect(heard.some((message) => words.every((word) => message.includes(word)))).toBe(true),
      LONG_PATIENCE,
    );
}

test.each([
  ["document", "StateUpdated", async () => `/v1/documents/${await uploadReport("second.pdf")}`],
  ["location", "SubscriptionRevoked", async () => `/v1/spatial/locations/${await addLocation("Pier")}`],
])("a %s that is deleted is not read again before its page is left", async (kind, event, make) => {
  meet(NOTHING, refuse);
  const path = await make();
  const id = path.split("/").at(-1) ?? "";
  const hears = await listen();
  await page.goto(`${service.url}/console/${kind}s/${id}`);
  await page.waitForSelector(".page-head h1");
  // The tab has joined the location, and asked about the access of its person.
  for (const question of [0, 1]) await hears('"type":3', `"invocationId":"${question}"`);
  const requests: string[] = [];
  meet(new RegExp(`${path}(/versions|$)`), (request) => {
    requests.push(request.method());
    if (request.method() !== "DELETE") return void request.continue();
    const remove = async () => {
      await service.api(z.unknown(), "DELETE", path, site.token);
      // The event of the deletion arrives before its answer.
      await hears(event, id);
      // The timers of a page run in order: this timer ends after the timer of 250 ms that gathers events.
      await page.evaluate("new Promise((resolve) => setTimeout(resolve, 500))");
      await request.respond({ status: 204 });
    };
    void remove();
  });
  await press(page, "Delete");
  if (kind === "location") {
    await page.waitForSelector("dialog[open]");
    await page.click("dialog[open] .primary");
  }
  await sees(page, "is in the trash");
  expect(requests.slice(requests.indexOf("DELETE"))).toEqual(["DELETE"]);
});

test("an upload that the object store refuses shows the reason and the id of the request, or what to tell", async () => {
  const reason = "This address has expired.";
  const answers = [`<Error><Message>${reason}</Message><RequestId>${PROBLEM.requestId}</RequestId></Error>`, ""];
  meet(/\/objects\//, (request) => {
    const body = answers.shift();
    void (body === undefined ? request.continue() : request.respond({ status: 403, body }));
  });
  await page.goto(`${service.url}/console/locations/${site.locationId}/documents`);
  const [chooser] = await Promise.all([page.waitForFileChooser(), press(page, "Upload")]);
  await chooser.accept([PDF]);
  await sees(page, "1 file not uploaded");
  expect(await textOf(page, ".uploads .failed")).toContain(`${reason} Upload the file again.`);
  expect(await textOf(page, ".uploads .failed")).toContain(PROBLEM.requestId);
  await press(page, "Upload report.pdf again");
  await sees(page, "tell the operator of this service the name of the file and the time");
  expect(await textOf(page, ".uploads .failed")).toContain("answer 403");
  await press(page, "Upload report.pdf again");
  await sees(page, "1 of 1 file uploaded");
});

test("the strip of panels shows the open one in a narrow window", async () => {
  meet(NOTHING, refuse);
  await page.setViewport({ width: 320, height: 900 });
  await page.goto(`${service.url}/console/cameras/${cameraId}?panel=export`);
  const open = await page.waitForSelector(".panels [aria-pressed=true]");
  const box = await open?.boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(320);
  expect(await page.$(button("Export"))).not.toBeNull();
});
