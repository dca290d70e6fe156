import { MINUTE } from "../../archive/clock.ts";
import type { ArchiveAddress } from "../../archive/port.ts";

/** In the place of a camera: the latest pictures of all cameras. */
export const WALL = "all";

/**
 * The address of the page: `#<token>/<camera>/<time>/<minutes>/<compared time>`. Browsers send no part of it to a
 * server.
 */
export interface ViewerAddress extends ArchiveAddress {
  token: string;
  cameraId: string | null;
}

const timeOf = (text: string): number | null => {
  const time = Date.parse(text);
  return Number.isFinite(time) ? time : null;
};
const written = (time: number | null): string => (time === null ? "" : new Date(time).toISOString());

export function readHash(): ViewerAddress {
  const [token = "", camera = "", time = "", minutes = "", before = ""] = location.hash.slice(1).split("/");
  const span = Number(minutes) * MINUTE;
  return {
    token,
    cameraId: camera === "" ? null : camera,
    t: timeOf(time),
    span: Number.isFinite(span) && span > 0 ? span : null,
    before: timeOf(before),
  };
}

export function writeHash({ token, cameraId, t, span, before }: ViewerAddress, push: boolean): void {
  const minutes = span === null ? "" : String(Math.round(span / MINUTE));
  const parts = [token, cameraId ?? "", written(t), minutes, written(before)];
  const next = `#${parts.join("/").replace(/\/+$/, "")}`;
  if (next === location.hash) return;
  try {
    if (push) history.pushState(null, "", next);
    else history.replaceState(null, "", next);
  } catch {
    // Browsers refuse an address that changes very often. It is written after a pause.
  }
}
