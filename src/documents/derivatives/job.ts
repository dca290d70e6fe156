import { and, eq, sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { complete, type JobHandler } from "../../platform/jobs/handlers";
import { encodePicture } from "../../platform/jpeg";
import { drawPicture, requireReadable } from "../../platform/pictures/draw";
import { HOUR } from "../../platform/time";
import { holdObjects, keepHeld } from "../../uploads";
import { documentNotDeleted, documents, documentVersions } from "../tables";
import { DERIVATIVE_QUALITY, DERIVATIVE_TYPE, MEDIUM_EDGE, SMALL_EDGE } from "./limits";
import { isVersion, type VersionOf, waitingPicture } from "./waiting";

/** How long written derivatives may wait for the change that refers to them. */
const HELD_FOR = HOUR;

/** Keys of a version's derivatives: below the document's own prefix, and the same in every try. */
export function derivativeKeys(tenantId: string, { documentId, version }: VersionOf) {
  const folder = `${tenantId}/${documentId}/derivatives/v${String(version).padStart(8, "0")}`;
  return { small: `${folder}/small.jpg`, medium: `${folder}/medium.jpg` };
}

/** The whole of an object, whose size was checked. */
async function readObject({ objects }: Context, key: string): Promise<Uint8Array> {
  const found = await objects.read(key);
  if (found === null) throw new Error("a version's object is missing");
  return new Uint8Array(await new Response(found.body).arrayBuffer());
}

/**
 * Makes the small and the medium form of a picture. It may run any number of times; a document that
 * was deleted meanwhile ends it quietly, and what it wrote is purged.
 */
export const deriveImages: JobHandler<"derive-images"> = {
  async run(context, { payload }) {
    const found = await waitingPicture(context, payload);
    if (found === null) return complete();
    const { tenantId, version } = found;
    requireReadable(version.contentType, version.sizeBytes);
    const { picture, width, height } = await drawPicture(await readObject(context, version.objectKey), MEDIUM_EDGE);
    const scaled = (edge: number) => encodePicture(picture, edge, DERIVATIVE_QUALITY).bytes;
    const keys = derivativeKeys(tenantId, payload);
    const held = [keys.small, keys.medium].map((key) => ({ key, tenantId, chargedBytes: 0 }));
    const hold = beginChange(context);
    holdObjects(context, hold, held, HELD_FOR);
    await hold.commit();
    for (const [key, bytes] of [
      [keys.small, scaled(SMALL_EDGE)],
      [keys.medium, scaled(MEDIUM_EDGE)],
    ] as const)
      await context.objects.write(key, bytes, { contentType: DERIVATIVE_TYPE, sizeBytes: bytes.length });
    const lives = sql`EXISTS (SELECT 1 FROM ${documents} JOIN ${documentVersions}
      ON ${documentVersions.documentId} = ${documents.id} WHERE ${documentNotDeleted()} AND ${isVersion(payload)})`;
    const change = beginChange(context);
    keepHeld(context, change, [keys.small, keys.medium], lives);
    change.add(
      context.db
        .update(documentVersions)
        .set({ derivativeStatus: "ready", smallKey: keys.small, mediumKey: keys.medium, width, height })
        .where(and(isVersion(payload), lives)),
    );
    return complete(change);
  },

  failed({ db }, { payload }, change, { detail }) {
    change.add(
      db
        .update(documentVersions)
        .set({ derivativeStatus: "failed", derivativeDetail: detail })
        .where(and(isVersion(payload), eq(documentVersions.derivativeStatus, "pending"))),
    );
  },
};
