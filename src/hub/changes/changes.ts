import { z } from "@hono/zod-openapi";
import { READ, readerOf } from "../../access";
import type { Context } from "../../platform/context";
import { MAX_PAGE_SIZE } from "../../platform/db/cursor";
import { notFound } from "../../platform/errors";
import { numberSchema } from "../../platform/http/fields";
import { requireLocation } from "../../workspace";

/** A position: the epoch, which is a UUID, and the number of an event. */
const POSITION = /^([0-9a-f-]{36})\.(\d{1,16})$/;

export const changesQuery = z.strictObject({
  since: z.string().regex(POSITION).optional().openapi({
    description: "The `position` of the last answer. Without it, the answer has the present position and no events.",
  }),
  limit: numberSchema(1, MAX_PAGE_SIZE).default(MAX_PAGE_SIZE),
});

const changeSchema = z
  .object({
    event: z.enum(["DocumentUploaded", "StateUpdated", "PositionChanged", "CapturePublished"]),
    sequence: z.int().openapi({ description: "Increases with each event. Numbers are not consecutive." }),
    payload: z.record(z.string(), z.unknown()).openapi({ description: "As the hub sends it." }),
  })
  .openapi("LocationChange");

export const changesSchema = z
  .object({
    items: z.array(changeSchema),
    position: z.string().openapi({ description: "Send it as `since` of the next request." }),
    hasMore: z
      .boolean()
      .openapi({ description: "Whether to ask again at once. A page can have no items and more after it." }),
    reload: z.boolean().openapi({
      description: "Changes were missed that are not kept any more, or there was no `since`: read what you show again.",
    }),
  })
  .openapi("LocationChanges");

/**
 * The events of a location after a position that the caller may see now, the oldest first: at most `limit`.
 * @throws DomainError not-found, forbidden
 */
export async function listChanges(
  context: Context,
  locationId: string,
  { since, limit }: z.infer<typeof changesQuery>,
): Promise<z.infer<typeof changesSchema>> {
  await requireLocation(context, locationId, "LocationView", READ);
  const [, epoch, after] = POSITION.exec(since ?? "") ?? [];
  const position = epoch === undefined ? null : { epoch, after: Number(after) };
  const found = await context.live.changes(locationId, readerOf(context), position, limit);
  if (found === null) throw notFound();
  const items = found.events.map(({ target, sequence, payload }) => ({
    event: target,
    sequence,
    payload: z.record(z.string(), z.unknown()).parse(JSON.parse(payload)),
  }));
  return { items, position: `${found.epoch}.${found.sequence}`, hasMore: found.hasMore, reload: found.reload };
}
