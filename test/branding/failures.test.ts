import { PhotonImage } from "@cf-wasm/photon/workerd";
import { expect, test } from "vitest";
import { drawAsset } from "../../src/branding/assets/draw";
import { resvg } from "../../src/branding/assets/resvg";
import { decodePicture } from "../../src/platform/pictures/decode";
import { photon } from "../../src/platform/pictures/photon";
import { MARK } from "../support/branding";
import { scene } from "../support/pictures";

/* A file on which a library in WebAssembly fails does not change how the files after it are drawn. */

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const svg = (content: string): Uint8Array =>
  bytesOf(`<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10">${content}</svg>`);

const pattern = (id: string, content: string): string =>
  `<pattern id="${id}" width="5" height="5" patternUnits="userSpaceOnUse">${content}</pattern>`;
/** Two patterns that draw each other: resvg follows them until the stack is full. The references are in a stylesheet. */
const CIRCLE = svg(
  `<style>.a{fill:url(#a)}.b{stroke:url(#b)}</style>${pattern("a", '<rect class="b" width="3" height="3"/>')}${pattern(
    "b",
    '<rect class="a" width="3" height="3"/>',
  )}<rect class="a" width="10" height="10"/>`,
);

test("a logo is drawn alike before and after files on which resvg fails", async () => {
  const before = await drawAsset(bytesOf(MARK));
  for (let n = 0; n < 3; n++) {
    await expect(resvg.run((library) => library.describe(library.parse(CIRCLE)))).rejects.toThrow();
    await expect(drawAsset(CIRCLE)).rejects.toThrow("it cannot be drawn");
    expect(await drawAsset(bytesOf(MARK))).toEqual(before);
  }
});

test("resvg starts anew after a failure, and not otherwise", async () => {
  await drawAsset(bytesOf(MARK));
  const first = resvg.current();
  await drawAsset(bytesOf(MARK));
  expect(resvg.current()).toBe(first);
  await expect(drawAsset(svg('<rect width="1'))).rejects.toThrow();
  await expect(drawAsset(CIRCLE)).rejects.toThrow();
  expect(resvg.current()).not.toBe(first);
});

test("a WebP file is decoded alike before and after files on which photon fails", async () => {
  const image = new PhotonImage(scene(64, 48), 64, 48);
  const file = image.get_bytes_webp();
  image.free();
  const before = await decodePicture(file, 64);
  for (const end of [40, 60, 200]) {
    const used = photon.current();
    await expect(decodePicture(file.subarray(0, end), 64)).rejects.toMatchObject({ code: "picture-damaged" });
    expect(photon.current()).not.toBe(used);
    expect(await decodePicture(file, 64)).toEqual(before);
  }
});
