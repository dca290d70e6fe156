import { createHash, randomBytes, randomUUID } from "node:crypto";
import { encode } from "jpeg-js";
import { expect, test } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE, PATIENCE } from "../../support/patience";
import { button, expectSound, fill, press, sees, textOf } from "../support/console";
import { complaints, enter, openProfile, page, service, site, useDesk } from "../support/desk";

/* Cameras in the console: from the first camera, its pairing and its pictures to a link that is revoked. */

let bearer: string;

useDesk({ site: "entitled" });

/** A plain picture. */
function picture(grey = 120): Uint8Array<ArrayBuffer> {
  const [width, height] = [64, 36];
  const data = new Uint8Array(4 * width * height).fill(grey);
  return Uint8Array.from(encode({ data, width, height }, 90).data);
}

const operation = z.looseObject({
  uploadUrl: z.string(),
  requiredHeaders: z.record(z.string(), z.string()),
  statusUrl: z.string(),
});

/** Sends bytes as the camera's device, and waits for the result of the verification. */
async function send(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const intent = {
    captureId: randomUUID(),
    assignmentGeneration: 1,
    capturedAtUtc: new Date().toISOString(),
    sizeBytes: bytes.byteLength,
    checksumSha256: createHash("sha256").update(bytes).digest("hex"),
    clockQuality: "synchronized",
    contentType: "image/jpeg",
  };
  const started = await service.api(operation, "POST", "/v1/camera-ingestion/uploads", bearer, intent);
  await fetch(started.uploadUrl, { method: "PUT", headers: started.requiredHeaders, body: bytes });
  await service.api(z.unknown(), "POST", `${started.statusUrl}/complete`, bearer);
  const state = z.looseObject({ status: z.string() });
  let status = "";
  await eventually(async () => {
    ({ status } = await service.api(state, "GET", started.statusUrl, bearer));
    expect(status).not.toBe("verification-pending");
  }, LONG_PATIENCE);
  return status;
}

/** Gives a field another value. */
async function refill(name: string, value: string): Promise<void> {
  const field = await page.waitForSelector(`[name=${name}]`, { visible: true });
  await field?.click({ count: 3 });
  await field?.type(value);
}

test("a wall without cameras names the next step, and the first camera is created with a forecast", async () => {
  await enter("cameras");
  await sees(page, "No cameras in Live yet");
  await expectSound(page, "no cameras");
  await press(page, "New camera");
  await fill(page, { name: "Crane east" });
  const before = await textOf(page, ".forecast");
  expect(before).toMatch(/30 days at 20 minutes ≈ 1\.6 GB/);
  await page.click("dialog summary");
  await refill("captureWidth", "1280");
  await refill("captureHeight", "720");
  await eventually(async () => expect(await textOf(page, ".forecast")).toMatch(/≈ 697 MB, 65% of what is left/));
  await expectSound(page, "new camera");
  await press(page, "Create the camera");
  await sees(page, "No device has reported yet.");
});

test("it is paired by a code with a countdown and a QR code, which the page notices", async () => {
  await press(page, "Make a pairing code");
  await page.waitForSelector("svg.qr");
  expect(await textOf(page, "[role=timer]")).toMatch(/Good for 1[45]:\d\d/);
  await expectSound(page, "pairing");
  const pairingCode = await textOf(page, "output.code");
  const credentialSecret = randomBytes(32).toString("hex");
  const paired = z.looseObject({ credentialId: z.string() });
  const proposal = { pairingCode, credentialSecret, redemptionId: randomUUID() };
  const redeem = "/v1/camera-ingestion/enrollments/redeem";
  const { credentialId } = await service.api(paired, "POST", redeem, undefined, proposal);
  bearer = `svccam1.${credentialId.replaceAll("-", "")}.${credentialSecret}`;
  await sees(page, "The device is paired.");
});

/** The picture of the camera on the wall: its address. */
const shownOnWall = () => page.$eval('img[alt="Latest picture of Crane east"]', (image) => image.getAttribute("src"));

test("its pictures appear on the open wall with their age, and the filters are in the address", async () => {
  await page.goto(`${service.url}/console/cameras`);
  await sees(page, "No picture yet");
  await page.evaluate("window.stayed = true");
  expect(await send(picture())).toBe("completed");
  await page.waitForSelector('img[alt="Latest picture of Crane east"]', { timeout: PATIENCE });
  await eventually(async () => expect(await textOf(page, ".cam .state")).toBe("now"));
  const first = await shownOnWall();
  expect(await send(picture(200))).toBe("completed");
  await eventually(async () => expect(await shownOnWall()).not.toBe(first));
  expect(await page.evaluate("window.stayed")).toBe(true);
  await sees(page, "1 camera at 1 location. All of them work.");
  expect(await textOf(page, ".cam .state")).toBe("now");
  await expectSound(page, "wall");
  await press(page, "Trouble 0");
  await sees(page, "No camera fits this filter");
  expect(page.url()).toContain("?show=trouble");
  await page.reload();
  await sees(page, "No camera fits this filter");
  await page.goto(`${service.url}/console/cameras`);
});

/** Follows the link of a tab. A click at its position can miss it while the page above it still changes. */
const open = async (tab: string) =>
  (await page.waitForSelector(`a::-p-text(${tab})`))?.evaluate((link) =>
    (link as unknown as { click(): void }).click(),
  );

test("a damaged picture is listed for review, and a camera is paused and resumed", async () => {
  expect(await send(Uint8Array.from([0xff, 0xd8, 0xff, 0x00]))).toBe("rejected");
  await page.goto(`${service.url}/console/locations/${site.locationId}/cameras`);
  const settings = await page.waitForSelector('a[aria-label="Settings and device of Crane east"]');
  await expectSound(page, "cameras of a location");
  await settings?.click();
  await page.waitForSelector(".camera-settings");
  await expectSound(page, "settings");
  await press(page, "Pause");
  await sees(page, "· Paused");
  await press(page, "Resume");
  await page.waitForSelector(button("Pause"));
  await refill("retentionDays", "7");
  await press(page, "Save the settings");
  await sees(page, "Keep pictures for fewer days?");
  await press(page, "Expire them and save");
  await sees(page, "The settings are saved.");
  await open("Review");
  await sees(page, "Their bytes were damaged or no picture.");
  await expectSound(page, "review");
  await open("Device");
  await sees(page, "Interruptions");
  await expectSound(page, "device");
});

test("the notification of a rejected picture leads to its review", async () => {
  await page.click("a.bell");
  await (await page.waitForSelector(".note ::-p-text(A camera sent an image that was rejected)"))?.click();
  await sees(page, "Their bytes were damaged or no picture.");
  expect(new URL(page.url()).searchParams.get("part")).toBe("review");
  expect(await page.$$("[aria-labelledby=rejected] li")).toHaveLength(1);
});

test("a link is made with its terms, works only with its passcode, is changed and revoked", async () => {
  await page.goto(`${service.url}/console/locations/${site.locationId}/cameras`);
  await press(page, "New link");
  await refill("name", "Neighbours");
  await fill(page, { passcode: "harbour 7" });
  await expectSound(page, "new link");
  await page.click("dialog form button.primary");
  await page.waitForSelector("dialog svg.qr");
  await expectSound(page, "made link");
  const share = new URL(await textOf(page, "output.secret")).hash.slice(1);
  const open = (headers: Record<string, string>) =>
    fetch(`${service.url}/v1/shared-cameras`, { headers: { "x-camera-share": share, ...headers } });
  expect((await open({})).status).toBe(401);
  const unlocked = await fetch(`${service.url}/v1/shared-cameras/unlock`, {
    method: "POST",
    headers: { "x-camera-share": share, "content-type": "application/json" },
    body: JSON.stringify({ passcode: "harbour 7" }),
  });
  const { pass } = z.looseObject({ pass: z.string() }).parse(await unlocked.json());
  expect((await open({ "x-camera-share-pass": pass })).status).toBe(200);
  await press(page, "Done");
  await press(page, "Edit Neighbours");
  await (await page.waitForSelector("label::-p-text(Remove the passcode)"))?.click();
  await press(page, "Save the link");
  await eventually(async () => expect((await open({})).status).toBe(200), LONG_PATIENCE);
  await eventually(async () => expect(await textOf(page, "[aria-labelledby=shares]")).not.toContain("Passcode"));
  await press(page, "Revoke Neighbours");
  await (await page.waitForSelector("dialog button.primary"))?.click();
  await sees(page, "“Neighbours” shows nothing any more.");
  expect((await open({})).status).toBe(404);
  await expectSound(page, "links");
});

test("an address with the refresh token of a new session signs in, and leaves the address", async () => {
  const session = z.looseObject({ refreshToken: z.string() });
  const account = { email: site.email, password: site.password };
  const { refreshToken } = await service.api(session, "POST", "/v1/auth/login", undefined, account);
  const tab = await openProfile();
  await tab.goto(`${service.url}/console/cameras#enter=${refreshToken}`);
  await sees(tab, "Crane east");
  expect(tab.url()).toBe(`${service.url}/console/cameras`);
  await tab.browserContext().close();
  expect(complaints).toEqual([]);
});
