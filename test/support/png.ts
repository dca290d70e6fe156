import { PhotonImage } from "@cf-wasm/photon/workerd";
import { scene } from "./pictures";

/** A PNG file with a scene. */
export function scenePng(width: number, height: number): Uint8Array<ArrayBuffer> {
  const image = new PhotonImage(scene(width, height), width, height);
  const bytes = Uint8Array.from(image.get_bytes());
  image.free();
  return bytes;
}
