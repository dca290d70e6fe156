import { describe, expect, test } from "vitest";
import { createdShareSchema } from "../../src/cameras/shares/links";
import { passSchema } from "../../src/cameras/shares/passcode";
import { sharedCamerasSchema } from "../../src/cameras/shares/public-views";
import { pictureSize } from "../../src/platform/pictures/headers";
import { assetPath, showBrand } from "../support/branding";
import { call, codeOf, expectJson } from "../support/call";
import { mintCameraSite } from "../support/cameras";
import { mintShare, withShare } from "../support/shares";

/* The organization's brand on the pages of its links. */

async function sharedSite() {
  const site = await mintCameraSite({ name: "Gate" });
  const { token } = await mintShare(site.organizationId, site.locationId, [site.camera.id]);
  return { ...site, link: token };
}

const brandOf = async (link: string, headers: Record<string, string> = {}) =>
  (
    await expectJson(sharedCamerasSchema, 200, "GET", "/v1/shared-cameras", {
      headers: { ...withShare(link), ...headers },
    })
  ).brand;

const logoOf = (link: string, headers: Record<string, string> = {}) =>
  call("GET", "/v1/shared-cameras/logo", { headers: { ...withShare(link), ...headers } });

async function logoStatus(link: string): Promise<number> {
  const response = await logoOf(link);
  await response.arrayBuffer();
  return response.status;
}

describe("the brand of a link", () => {
  test("is shown only where the organization wants it, and no longer when it does not", async () => {
    const { link, owner, organizationId } = await sharedSite();
    const put = (body: object) =>
      call("PUT", `/v1/orgs/${organizationId}/branding`, { token: owner.token, body: { ...body } });
    expect([await brandOf(link), await logoStatus(link)]).toEqual([null, 404]);
    await put({ brandName: "Northwick", slogan: "On time", primaryColor: "#0b5fff" });
    expect([await brandOf(link), await logoStatus(link)]).toEqual([null, 404]);
    await put({ shownOnShareLinks: true });
    const shown = { name: "Northwick", primaryColor: "#0b5fff" };
    expect(await brandOf(link)).toEqual({ ...shown, hasLogo: false, revision: 3 });
    expect(await logoStatus(link)).toBe(404);
    await showBrand(owner.token, organizationId);
    expect(await brandOf(link)).toEqual({ ...shown, hasLogo: true, revision: 5 });
    expect(await logoStatus(link)).toBe(200);
    await put({ shownOnShareLinks: false });
    expect([await brandOf(link), await logoStatus(link)]).toEqual([null, 404]);
  });

  test("has the organization's name without a brand name, and a picture of the logo that runs nothing", async () => {
    const { link, owner, organizationId } = await sharedSite();
    await showBrand(owner.token, organizationId);
    const { organizationName } = await (
      await call("GET", `/v1/orgs/${organizationId}/branding`, { token: owner.token })
    ).json<{ organizationName: string }>();
    expect(await brandOf(link)).toMatchObject({ name: organizationName, primaryColor: null });
    const logo = await logoOf(link);
    expect(["content-type", "cache-control", "content-disposition"].map((name) => logo.headers.get(name))).toEqual([
      "image/png",
      "no-store",
      'inline; filename="logo.png"',
    ]);
    // The file is an SVG. The answer is the picture that the service drew of it.
    expect(pictureSize(new Uint8Array(await logo.arrayBuffer()))).toEqual({ width: 256, height: 128 });
    expect((await call("DELETE", assetPath(organizationId, "logo"), { token: owner.token })).status).toBe(204);
    expect(await brandOf(link)).toMatchObject({ hasLogo: false });
    expect(await logoStatus(link)).toBe(404);
  });

  test("is the brand of the link's organization, and needs the passcode", async () => {
    const [branded, plain] = [await sharedSite(), await sharedSite()];
    await showBrand(branded.owner.token, branded.organizationId);
    expect([await brandOf(plain.link), await logoStatus(plain.link)]).toEqual([null, 404]);
    const path = `/v1/spatial/locations/${branded.locationId}/camera-shares`;
    const { token } = await expectJson(createdShareSchema, 201, "POST", path, {
      token: branded.owner.token,
      body: { name: "Neighbours", cameraIds: [branded.camera.id], passcode: "harbour 7" },
    });
    expect(await codeOf(await logoOf(token))).toBe("401 passcode-required");
    const { pass } = await expectJson(passSchema, 200, "POST", "/v1/shared-cameras/unlock", {
      headers: withShare(token),
      body: { passcode: "harbour 7" },
    });
    const logo = await logoOf(token, { "x-camera-share-pass": pass });
    expect([logo.status, (await logo.arrayBuffer()).byteLength > 0]).toEqual([200, true]);
  });
});
