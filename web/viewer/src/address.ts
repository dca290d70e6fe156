import { addressOf, textsOf } from "../../archive/address.ts";
import type { ArchiveAddress } from "../../archive/port.ts";

/** In the place of a camera: the latest pictures of all cameras. */
export const WALL = "all";

/**
 * The address of the page: `#<token>/<camera>/<time>/<minutes>/<compared time>/<clock>/<zoom>/<time of day>/<panel>`. Browsers
 * send no part of it to a server.
 */
interface ViewerAddress extends ArchiveAddress {
  token: string;
  cameraId: string | null;
  /** The open panel; null if none is. */
  panel: string | null;
}

export function readHash(): ViewerAddress {
  const [token = "", ...parts] = location.hash.slice(1).split("/");
  const text = (at: number): string | null => parts[at] || null;
  const state = { t: text(1), span: text(2), before: text(3), clock: text(4), zoom: text(5), daily: text(6) };
  return { token, cameraId: text(0), panel: text(7), ...addressOf(state) };
}

export function writeHash({ token, cameraId, panel, ...state }: ViewerAddress, push: boolean): void {
  const { t, span, before, clock, zoom, daily } = textsOf(state);
  const parts = [token, cameraId, t, span, before, clock, zoom, daily, panel].map((part) => part ?? "");
  const next = `#${parts.join("/").replace(/\/+$/, "")}`;
  if (next === location.hash) return;
  try {
    if (push) history.pushState(null, "", next);
    else history.replaceState(null, "", next);
  } catch {
    // Browsers refuse an address that changes very often. It is written after a pause.
  }
}
