import { env, exports } from "cloudflare:workers";
import { PhotonImage } from "@cf-wasm/photon/workerd";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { drawAsset } from "../../src/branding/assets/draw";
import { readSvg } from "../../src/branding/assets/svg";
import {
  assetSchema,
  brandingSchema,
  contrast,
  readableOn,
  readableOnPaper,
  readBrandingInput,
} from "../../src/branding/fields";
import { brandingVariables } from "../../src/branding/variables";
import { encodeJpeg, pictureOfRgba } from "../../src/platform/jpeg";
import { atOnce } from "../../src/platform/pace";
import { pictureSize } from "../../src/platform/pictures/headers";
import { assetPath, completeAsset, MARK, sendAsset, uploadAsset } from "../support/branding";
import { call, expectJson } from "../support/call";
import type { FileToUpload } from "../support/documents";
import { mintMember, mintOrganization } from "../support/factories";
import { endedJobs, systemContext } from "../support/jobs";
import { eventually } from "../support/patience";
import { scene, splice } from "../support/pictures";
import fc from "../support/properties";
import { expectCounted, runToEnd, storageOf } from "../support/storage";

const own = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => Uint8Array.from(bytes);
const jpeg = (width: number, height: number) => own(encodeJpeg(pictureOfRgba(scene(width, height), width, height), 85));
function withPhoton(width: number, height: number, alpha: number, write: (image: PhotonImage) => Uint8Array) {
  const pixels = scene(width, height).map((value, i) => (i % 4 === 3 ? alpha : value));
  const image = new PhotonImage(pixels, width, height);
  try {
    return own(write(image));
  } finally {
    image.free();
  }
}
const png = (width: number, height: number, alpha = 255) => withPhoton(width, height, alpha, (i) => i.get_bytes());
const file = (
  fileName: string,
  bytes: FileToUpload["bytes"],
  contentType = "application/octet-stream",
): FileToUpload => ({
  fileName,
  bytes,
  contentType,
});

const brandingOf = (id: string) => `/v1/orgs/${id}/branding`;

async function bytesAt(token: string, organizationId: string, slot: string, linkType: string) {
  const at = await call("GET", `${assetPath(organizationId, slot)}/download?linkType=${linkType}`, { token });
  expect(at.status).toBe(302);
  const answer = await exports.default.fetch(new Request(at.headers.get("location") ?? ""));
  return { headers: answer.headers, bytes: new Uint8Array(await answer.arrayBuffer()) };
}

describe("branding", () => {
  test("is empty at first, and absent fields of an update do not change it", async () => {
    const { id, owner } = await mintOrganization({ name: "Northwick" });
    const empty = await expectJson(brandingSchema, 200, "GET", brandingOf(id), owner);
    expect(empty).toEqual({
      organizationId: id,
      organizationName: "Northwick",
      brandName: null,
      slogan: null,
      primaryColor: null,
      secondaryColor: null,
      accentColor: null,
      shownOnShareLinks: false,
      logo: null,
      banner: null,
      revision: 1,
      updatedAtUtc: null,
    });
    const put = (body: object) => expectJson(brandingSchema, 200, "PUT", brandingOf(id), { ...owner, body });
    const first = await put({
      brandName: "  North  ",
      primaryColor: "#0b5fff",
      accentColor: "#fa08",
      baseRevision: 1,
    }).catch(() => null);
    expect(first).toBeNull();
    expect(
      await put({ brandName: " North ", primaryColor: "#0b5fff", accentColor: "#fa0", baseRevision: 1 }),
    ).toMatchObject({
      brandName: "North",
      primaryColor: "#0b5fff",
      accentColor: "#fa0",
      revision: 2,
    });
    expect(await put({ slogan: "On time", accentColor: "" })).toMatchObject({
      brandName: "North",
      slogan: "On time",
      accentColor: null,
      revision: 3,
    });
    expect(await put({ slogan: null, shownOnShareLinks: true })).toMatchObject({
      slogan: null,
      primaryColor: "#0b5fff",
      shownOnShareLinks: true,
      revision: 4,
    });
    expect((await call("PUT", brandingOf(id), { ...owner, body: { slogan: "x", baseRevision: 3 } })).status).toBe(409);
    const stale = { ...owner, body: { slogan: "x" }, headers: { "if-match": '"3"' } };
    expect((await call("PUT", brandingOf(id), stale)).status).toBe(412);
    const races = [1, 2, 3].map((n) =>
      call("PUT", brandingOf(id), { ...owner, body: { slogan: `${n}`, baseRevision: 4 } }),
    );
    expect((await Promise.all(races)).map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect((await expectJson(brandingSchema, 200, "GET", brandingOf(id), owner)).shownOnShareLinks).toBe(true);
    expect((await call("PUT", brandingOf(id), { ...owner, body: { shownOnShareLinks: null } })).status).toBe(400);
    const { token } = await mintMember(id);
    expect((await call("PUT", brandingOf(id), { token, body: { slogan: "x" } })).status).toBe(403);
  });

  test.each(["red", "#12", "#12345", "#0b5fff;}", "rgb(1,2,3)", "#0b5ffg", " #fff", "url(#a)"])(
    "takes no colour but hexadecimal ones: %j",
    async (primaryColor) => {
      const { id, owner } = await mintOrganization();
      expect((await call("PUT", brandingOf(id), { ...owner, body: { primaryColor } })).status).toBe(400);
    },
  );
});

describe("colours", () => {
  test("each has a readable text colour", () => {
    expect([contrast("#fff", "#000"), contrast("#777777", "#777777")]).toEqual([21, 1]);
    expect([readableOn("#ffdd00"), readableOn("#1d3c5a"), readableOn("#00000000")]).toEqual([
      "#111111",
      "#ffffff",
      "#111111",
    ]);
    expect([readableOnPaper("#ffdd00"), readableOnPaper("#1d3c5a")]).toEqual(["#111111", "#1d3c5a"]);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffff }), (n) => {
        const colour = `#${n.toString(16).padStart(6, "0")}`;
        expect(contrast(colour, readableOn(colour))).toBeGreaterThan(4.2);
        expect(contrast("#ffffff", readableOnPaper(colour))).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });
});

const svg = (inner: string, attributes = 'width="10" height="10"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inner}</svg>`;
const GRADIENT = '<radialGradient id="b"><stop/><stop offset="1" stop-color="red"/></radialGradient>';
const SMALL = '<path fill-opacity=".5" d="M0 0h.1v.1z"/>';

/** The first bytes of a PNG with a size, base64. */
function headOfPng(width: number, height: number): string {
  const head = new Uint8Array(png(1, 1));
  const view = new DataView(head.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return head.toBase64();
}

describe("a logo or banner", () => {
  test("has the kind that its bytes show, and previews that keep transparency", async () => {
    const { id, owner } = await mintOrganization();
    const answer = await uploadAsset(owner.token, id, "logo", file("mark.jpg", png(600, 300, 128), "image/jpeg"));
    expect(assetSchema.parse(await answer.json())).toMatchObject({
      slot: "logo",
      fileName: "mark.jpg",
      contentType: "image/png",
      width: 600,
      height: 300,
    });
    const small = await bytesAt(owner.token, id, "logo", "small");
    expect([small.headers.get("content-type"), pictureSize(small.bytes)]).toEqual([
      "image/png",
      { width: 256, height: 128 },
    ]);
    const shown = PhotonImage.new_from_byteslice(small.bytes);
    expect(shown.get_raw_pixels()[3]).toBeLessThan(200);
    shown.free();
    await uploadAsset(owner.token, id, "banner", file("wide.png", jpeg(1200, 300)));
    const medium = await bytesAt(owner.token, id, "banner", "medium");
    expect([medium.headers.get("content-type"), pictureSize(medium.bytes)]).toEqual([
      "image/jpeg",
      { width: 1024, height: 256 },
    ]);
    const record = await expectJson(brandingSchema, 200, "GET", brandingOf(id), owner);
    expect([record.logo?.contentType, record.banner?.contentType, record.revision]).toEqual([
      "image/png",
      "image/jpeg",
      3,
    ]);
    await expectCounted(id);
  });

  test.each([
    ["as large as another picture, if it is simple", '<circle r="9"/>', 1024],
    ["smaller, if it has 1,000 transparent shapes", '<path fill-opacity=".5" d="M0 0h10v9z"/>'.repeat(1_000), 185],
    ["smaller, if it has 300 gradients", `${GRADIENT}${'<path fill="url(#b)" d="M0 0h10v9z"/>'.repeat(300)}`, 163],
    ["as large, if it has 1,000 small transparent shapes", SMALL.repeat(1_000), 1024],
  ])("has a preview of an SVG that is %s", async (_, inner, edge) => {
    const drawn = await drawAsset(new TextEncoder().encode(svg(inner)));
    const [small, medium] = [pictureSize(drawn.small), pictureSize(drawn.medium)];
    expect(medium?.width).toBeGreaterThanOrEqual(edge * 0.9);
    expect(medium?.width).toBeLessThanOrEqual(edge * 1.1);
    expect(small?.width).toBe(Math.min(256, medium?.width ?? 0));
  });

  test("can be an SVG, which browsers save and do not show, and has a PNG preview", async () => {
    const { id, owner } = await mintOrganization();
    const answer = await uploadAsset(owner.token, id, "logo", file("mark.svg", MARK, "image/svg+xml"));
    expect(assetSchema.parse(await answer.json())).toMatchObject({
      contentType: "image/svg+xml",
      sizeBytes: MARK.length,
    });
    const kept = await bytesAt(owner.token, id, "logo", "file");
    expect(kept.headers.get("content-disposition")).toMatch(/^attachment/);
    expect(kept.headers.get("content-security-policy")).toContain("sandbox");
    expect(new TextDecoder().decode(kept.bytes)).toBe(MARK);
    const small = await bytesAt(owner.token, id, "logo", "small");
    expect(pictureSize(small.bytes)).toEqual({ width: 256, height: 128 });
    const drawn = PhotonImage.new_from_byteslice(small.bytes);
    const pixels = drawn.get_raw_pixels();
    drawn.free();
    expect([...pixels.subarray(4 * 10, 4 * 10 + 4)]).toEqual([221, 0, 0, 255]);
    expect(pixels[4 * 250 + 3]).toBe(0);
  });

  test("with text in the SVG gets a hint, because previews leave the text out", async () => {
    const { id, owner } = await mintOrganization();
    const hintFor = async (bytes: FileToUpload["bytes"]) => {
      const answer = await uploadAsset(owner.token, id, "logo", file("mark.svg", bytes));
      expect(answer.status).toBe(200);
      return z.object({ hint: z.string().nullable() }).parse(await answer.json()).hint;
    };
    // A detailed drawing without strokes is accepted.
    expect(await hintFor(svg(`<path stroke="none" d="M0 0${"L1 9".repeat(50_000)}"/>`))).toBeNull();
    expect(await hintFor(svg("<g><text y='9'>NW</text></g>"))).toContain("outlines");
    expect(await hintFor(MARK)).toBeNull();
    expect(await hintFor(png(20, 20))).toBeNull();
  });

  const bomb = svg(
    `<g id="a0"><rect width="1" height="1"/></g>${Array.from({ length: 12 }, (_, i) => `<g id="a${i + 1}">${`<use href="#a${i}"/>`.repeat(8)}</g>`).join("")}<use href="#a12"/>`,
  );
  test.each([
    ["text", "just words"],
    ["HTML", "<!doctype html><svg></svg>"],
    ["a PDF", "%PDF-1.7"],
    ["nothing of a PNG but its head", own(png(20, 20).subarray(0, 40))],
    ["a JPEG that is cut", own(jpeg(300, 200).subarray(0, 900))],
    ["a WebP of a header alone", "RIFF\x00\x00\x00\x00WEBPVP8 "],
    ["an SVG that is not well formed", "<svg xmlns='http://www.w3.org/2000/svg'><g></svg>"],
    ["an SVG of another namespace", "<svg xmlns='urn:x'/>"],
    ["an SVG with entities", `<!DOCTYPE svg [<!ENTITY a "aaaa">]>${svg("<text>&a;</text>")}`],
    ["an SVG that multiplies", bomb],
    ["an SVG in a circle", svg('<g id="a"><use href="#b"/></g><g id="b"><use href="#a"/></g>')],
    [
      "an SVG with filters",
      svg('<filter id="f"><feGaussianBlur stdDeviation="1e9"/></filter><rect filter="url(#f)"/>'),
    ],
    [
      "an SVG with a long dashed path",
      svg(`<path stroke="#000" stroke-dasharray="3 2" d="M0 0${"L1 9".repeat(20_000)}"/>`),
    ],
    ["an SVG with long strokes", svg(`<path style="stroke:red" d="M0 0${"L1 9".repeat(50_000)}"/>`)],
    ["an SVG with a very long path", svg(`<path stroke="none" d="M0 0${"L1 9".repeat(300_000)}"/>`)],
    [
      "an SVG that repeats a long path",
      svg(`<path id="a" d="M0 0${"L1 9".repeat(20_000)}"/>${'<use href="#a"/>'.repeat(20)}`),
    ],
    [
      "an SVG with rules for many elements",
      svg(`<style>${".a{fill:red}".repeat(2_000)}</style>${"<g/>".repeat(2_000)}`),
    ],
    ["an SVG with many transparent groups", svg('<g opacity=".5"><path d="M0 0h9v9z"/></g>'.repeat(600))],
    [
      "an SVG with many masks by a class",
      svg(`<style>.a{mask:/*;*/url(#m)}</style><mask id="m"/>${'<g class="b a"/>'.repeat(600)}`),
    ],
    ["an SVG with blending everywhere", svg(`<style>g{mix-blend-mode&#58;hue}</style>${"<g/>".repeat(600)}`)],
    [
      "an SVG that repeats a clipped group",
      svg(`<g id="a">${'<g style="clip-path: url(#c)"/>'.repeat(60)}</g>${'<use href="#a"/>'.repeat(10)}`),
    ],
    ["an SVG without size", svg("", 'width="0" height="0"')],
    ["an SVG with 15,000 shapes of the whole size", svg('<path d="M0 0h10v9z"/>'.repeat(15_000))],
    [
      "an SVG with 15,000 references to a shape",
      svg(`<path id="a" d="M0 0h10v9z"/>${'<use href="#a"/>'.repeat(15_000)}`),
    ],
    ["an SVG of 3.2 MB with 19,000 curved shapes", svg(`<path d="M0 0${"C1 9 7 3 9 9".repeat(13)}z"/>`.repeat(19_000))],
    ["an SVG with 15,000 lines that cross", svg(`<path stroke="#000" d="M0 0${"L9 9.1L1 .3".repeat(7_500)}"/>`)],
    ["an SVG with a million dashes", svg('<path stroke="#000" stroke-dasharray=".00001" d="M0 0H10"/>')],
    [
      "an SVG with a large tile",
      svg(
        '<pattern id="p" width="900" height="900" patternUnits="userSpaceOnUse"><path d="M0 0h9v9"/></pattern><path fill="url(#p)" d="M0 0h10v9z"/>',
      ),
    ],
    ["an SVG in an SVG", svg(`<image width="9" height="9" href="data:image/svg+xml;base64,${btoa(svg("<g/>"))}"/>`)],
    [
      "an SVG with a picture of 100 million pixels",
      svg(`<image width="9" height="9" href="data:image/png;base64,${headOfPng(10_000, 10_000)}"/>`),
    ],
    [
      "an SVG with deep groups of many elements",
      svg(`${'<g transform="scale(1)">'.repeat(240)}${"<path/>".repeat(19_000)}${"</g>".repeat(240)}`),
    ],
  ])("is refused where it is no such picture: %s", async (_, bytes) => {
    const { id, owner } = await mintOrganization();
    const answer = await uploadAsset(owner.token, id, "logo", file("mark.svg", bytes, "image/svg+xml"));
    expect([answer.status, await answer.text()]).toEqual([422, expect.stringContaining("PNG, JPEG, WebP or SVG")]);
    expect((await call("GET", assetPath(id, "logo"), owner)).status).toBe(404);
  });

  test("has at most 5 MiB", async () => {
    const { id, owner } = await mintOrganization();
    const body = {
      fileName: "a.png",
      contentType: "image/png",
      sizeBytes: 5 * 1024 * 1024 + 1,
      checksumSha256: "0".repeat(64),
    };
    expect((await call("POST", `${assetPath(id, "logo")}/upload-start`, { ...owner, body })).status).toBe(413);
    expect((await call("POST", `${assetPath(id, "seal")}/upload-start`, { ...owner, body })).status).toBe(400);
  });

  test("stays until its replacement is complete, and then its objects are deleted", async () => {
    const { id, owner } = await mintOrganization();
    await uploadAsset(owner.token, id, "logo", file("old.svg", MARK));
    const before = await storageOf(id);
    const next = await sendAsset(owner.token, id, "logo", file("new.png", png(64, 64)));
    const broken = await sendAsset(
      owner.token,
      id,
      "logo",
      file("broken.png", splice(png(64, 64), 60, 40) as Uint8Array<ArrayBuffer>),
    );
    expect((await completeAsset(owner.token, id, "logo", broken)).status).toBe(422);
    const still = await expectJson(assetSchema, 200, "GET", assetPath(id, "logo"), owner);
    expect(still.fileName).toBe("old.svg");
    expect((await completeAsset(owner.token, id, "logo", next)).status).toBe(200);
    expect((await expectJson(assetSchema, 200, "GET", assetPath(id, "logo"), owner)).fileName).toBe("new.png");
    await runToEnd("purge-objects");
    await eventually(async () => {
      const now = await storageOf(id);
      expect(now.keptKeys.filter((key) => before.keptKeys.includes(key))).toEqual([]);
      expect(now.bucketKeys).toEqual(now.keptKeys);
      expect(now.keptKeys).toHaveLength(3);
    });
    await expectCounted(id);
  });

  test("of concurrent uploads is one of them, complete", async () => {
    const { id, owner } = await mintOrganization();
    const ids = await Promise.all(
      [40, 50, 60].map((n) => sendAsset(owner.token, id, "logo", file(`${n}.png`, png(n, n)))),
    );
    const answers = await Promise.all(ids.map((uploadId) => completeAsset(owner.token, id, "logo", uploadId)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const asset = await expectJson(assetSchema, 200, "GET", assetPath(id, "logo"), owner);
    expect(asset.fileName).toBe(`${asset.width}.png`);
    expect(pictureSize((await bytesAt(owner.token, id, "logo", "file")).bytes)?.width).toBe(asset.width);
    await runToEnd("purge-objects");
    await eventually(async () => expect((await storageOf(id)).bucketKeys).toHaveLength(3));
    await expectCounted(id);
  });

  test("can be removed, with its files", async () => {
    const { id, owner } = await mintOrganization();
    await uploadAsset(owner.token, id, "banner", file("a.svg", MARK));
    expect((await call("DELETE", assetPath(id, "banner"), owner)).status).toBe(204);
    expect((await call("DELETE", assetPath(id, "banner"), owner)).status).toBe(404);
    await endedJobs(id, "verify-upload");
    await runToEnd("purge-objects");
    await eventually(async () => expect((await storageOf(id)).bucketKeys).toEqual([]));
  });

  test("is a data URL in templates, which have only the fields that are set", async () => {
    const { id, owner } = await mintOrganization({ name: "Northwick" });
    await call("PUT", brandingOf(id), { ...owner, body: { primaryColor: "#ffdd00", brandName: "North" } });
    await uploadAsset(owner.token, id, "logo", file("a.svg", MARK));
    const context = systemContext();
    const variables = await brandingVariables(context, await readBrandingInput(context, id));
    expect(variables).toEqual({
      organization_name: "Northwick",
      brand_name: "North",
      primary_color: "#ffdd00",
      on_primary_color: "#111111",
      primary_color_on_paper: "#111111",
      logo_data_url: `data:image/svg+xml;base64,${new TextEncoder().encode(MARK).toBase64()}`,
    });
    expect(await brandingVariables(context, await readBrandingInput(context, null))).toEqual({});
    await env.BUCKET.delete((await storageOf(id)).keptKeys);
    expect(await brandingVariables(context, await readBrandingInput(context, id))).not.toHaveProperty("logo_data_url");
  });

  test("of random bytes is accepted or refused without a crash", () => {
    const piece = fc.constantFrom(
      "<svg xmlns='http://www.w3.org/2000/svg'>",
      "</svg>",
      "<g id='a'>",
      "</g>",
      "<use href='#a'/>",
      "<!--",
      "-->",
      "<![CDATA[",
      "&lt;",
      "<rect/>",
      " ",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 40 }), (pieces) => {
        const read = atOnce(readSvg(new TextEncoder().encode(pieces.join(""))));
        expect([null, "svg", "refused"]).toContain(read?.kind ?? null);
      }),
      { numRuns: 500 },
    );
  });
});
