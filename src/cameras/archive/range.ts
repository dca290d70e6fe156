import { and, lte, type SQL } from "drizzle-orm";
import { cameraCaptures } from "../tables";
import { visibleCaptures } from "../visibility";
import type { Archive } from "./archive";

/** A part of an archive: capture times in milliseconds since the epoch, both included; open where missing. */
export interface Range {
  from?: number | undefined;
  to?: number | undefined;
}

/** What is visible of a part of an archive. */
export const visibleInRange = ({ camera, locationId }: Archive, now: number, { from, to }: Range): SQL | undefined =>
  and(
    visibleCaptures(camera, locationId, now, from),
    to === undefined ? undefined : lte(cameraCaptures.capturedAt, to),
  );
