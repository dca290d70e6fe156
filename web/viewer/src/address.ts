import { addressOf, textsOf } from "../../archive/address.ts";
import type { ArchiveAddress } from "../../archive/port.ts";

/** In the place of a camera: the latest pictures of all cameras. */
export const WALL = "all";

/**
 * The address of the page: `#<token>/<camera>/<time>/<minutes>/<compared time>/<clock>/<zoom>/<time of day>`. Browsers send no
 * part of it to a server.
 */
export interface ViewerAddress extends ArchiveAddress {
  token: string;
  cameraId: string | null;
}

export function readHash(): ViewerAddress {
  const [token = "", ...parts] = location.hash.slice(1).split("/");
  const [cameraId = null, t = null, span = null, before = null, clock = null, zoom = null, daily = null] = parts.map(
    (part) => (part === "" ? null : part),
  );
  return { token, cameraId, ...addressOf({ t, span, before, clock, zoom, daily }) };
}

export function writeHash({ token, cameraId, ...state }: ViewerAddress, push: boolean): void {
  const { t, span, before, clock, zoom, daily } = textsOf(state);
  const parts = [token, cameraId, t, span, before, clock, zoom, daily].map((part) => part ?? "");
  const next = `#${parts.join("/").replace(/\/+$/, "")}`;
  if (next === location.hash) return;
  try {
    if (push) history.pushState(null, "", next);
    else history.replaceState(null, "", next);
  } catch {
    // Browsers refuse an address that changes very often. It is written after a pause.
  }
}
