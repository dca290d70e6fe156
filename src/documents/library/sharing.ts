import { z } from "@hono/zod-openapi";
import { and, eq } from "drizzle-orm";
import { capabilityMapSchema, emailSchema, holds, READ, type ResourcePath, requireUser } from "../../access";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/statements";
import { notFound, refusalOfAll } from "../../platform/errors";
import { idSchema } from "../../platform/ids";
import { instantSchema } from "../../platform/time";
import { endSeveral, findLocation, type GrantOutcome, shareSeveral } from "../../workspace";
import { documentPath, documentsExist, SHAREABLE_DOCUMENTS } from "../document";
import { MAX_SHARED_DOCUMENTS } from "../limits";
import { documentExists, documents } from "../tables";
import { requireVisible } from "./list";
import { presentRefusal, refusalSchema } from "./refusals";

const SHARED = { kind: SHAREABLE_DOCUMENTS, exist: documentsExist };

const areDifferent = (ids: readonly string[]): boolean => new Set(ids).size === ids.length;

const endBody = z
  .strictObject({
    type: z.literal("end"),
    grants: z
      .array(z.strictObject({ documentId: idSchema, grantId: idSchema, baseRevision: z.int().min(1).optional() }))
      .min(1)
      .max(MAX_SHARED_DOCUMENTS)
      .refine((grants) => areDifferent(grants.map(({ grantId }) => grantId)), "name each grant once"),
  })
  .openapi("DocumentGrantsEnd");

const newGrants = z
  .strictObject({
    type: z.literal("share"),
    documentIds: z.array(idSchema).min(1).max(MAX_SHARED_DOCUMENTS).refine(areDifferent, "name each document once"),
    userId: idSchema.optional(),
    email: emailSchema.optional(),
    capabilities: capabilityMapSchema,
    expiresAtUtc: instantSchema.optional(),
  })
  .refine(({ userId, email }) => (userId === undefined) !== (email === undefined), "name either userId or email")
  .openapi("DocumentGrantsCreate");

export const shareBody = z.discriminatedUnion("type", [newGrants, endBody]).openapi("DocumentSharing", {
  example: {
    type: "share",
    documentIds: ["01890a5d-ac96-774b-bcce-b302099a8057"],
    email: "ada@example.org",
    capabilities: { Documents: "Read" },
  },
});

export const sharingSchema = z
  .object({
    results: z.array(
      z
        .object({
          documentId: idSchema,
          grantId: idSchema
            .nullable()
            .openapi({ description: "The new or the ended grant. Null if nothing was changed." }),
          error: refusalSchema,
        })
        .openapi("DocumentSharingResult"),
    ),
    undo: endBody
      .nullable()
      .openapi({ description: "What ends the new grants. Null if the request has ended grants." }),
  })
  .openapi("DocumentSharingResults");

/** The paths of the documents that the caller sees, of those in this workspace. */
async function readPaths(context: Context, tenantId: string, ids: readonly string[]) {
  const caller = requireUser(context);
  const rows = await context.workspace
    .select()
    .from(documents)
    .where(and(inSet(documents.id, ids), eq(documents.tenantId, tenantId), documentExists()));
  const visible = rows.filter((row) => holds(caller, "Documents", documentPath(row), READ));
  return new Map(visible.map((row): [string, ResourcePath] => [row.id, documentPath(row)]));
}

/**
 * Shares documents of one workspace with one person, or ends such grants. All that are allowed are one change; the others have an
 * error in their result. @throws DomainError 401, 404; the error of a document if none is allowed; 403, 409 or 422 if something was
 * changed in the meantime, then nothing has changed; 422 for the person; 429.
 */
export async function shareDocuments(
  context: Context,
  locationId: string,
  body: z.infer<typeof shareBody>,
): Promise<z.infer<typeof sharingSchema>> {
  const caller = requireUser(context);
  const location = await findLocation(context, locationId);
  if (location === null) throw notFound();
  const ids = body.type === "share" ? body.documentIds : body.grants.map(({ documentId }) => documentId);
  const paths = await readPaths(context, location.tenantId, ids);
  // A guest of a document of the location names the location too.
  if (![...paths.values()].some((path) => path.locationId === locationId))
    await requireVisible(context, caller, location);
  const outcomes =
    body.type === "share"
      ? await shareSeveral(context, SHARED, paths, ids, body)
      : await endSeveral(
          context,
          SHARED,
          paths,
          body.grants.map(({ documentId: id, ...grant }) => ({ id, ...grant })),
        );
  const refusal = refusalOfAll(outcomes.map((one) => ("refusal" in one ? one.refusal : null)));
  if (refusal !== undefined) throw refusal;
  const made = outcomes.flatMap((one) => ("grantId" in one ? [one] : []));
  return {
    results: outcomes.map((one: GrantOutcome) => ({
      documentId: one.id,
      grantId: "grantId" in one ? one.grantId : null,
      error: presentRefusal(context, "refusal" in one ? one.refusal : null),
    })),
    undo:
      body.type === "end"
        ? null
        : { type: "end", grants: made.map(({ id, grantId }) => ({ documentId: id, grantId, baseRevision: 1 })) },
  };
}
