import { auditStatement, requireOrganizationAdmin } from "../access";
import type { Context } from "../platform/context";
import { beginChange } from "../platform/db/change";
import { notFound } from "../platform/errors";
import { checkPrecondition, type Precondition, staleRevision } from "../platform/http/revision";
import { organizationExists } from "../workspace";
import { type BrandingRow, presentBranding, revisionOf } from "./fields";
import { atRevision, findBranding, touchBranding } from "./find";

type Fields = "brandName" | "slogan" | "primaryColor" | "secondaryColor" | "accentColor";
export type BrandingChange = { [field in Fields]?: string | null | undefined };

/** Changes what is named of the branding; for owners and admins. @throws DomainError 401, 403, 404, 409, 412. */
export async function updateBranding(
  context: Context,
  organizationId: string,
  given: BrandingChange,
  precondition: Precondition,
) {
  requireOrganizationAdmin(context, organizationId);
  const found = await findBranding(context, organizationId);
  const revision = revisionOf(found);
  checkPrecondition(precondition, revision);
  const named = Object.entries(given).filter((entry): entry is [Fields, string | null] => entry[1] !== undefined);
  const fields: Partial<Pick<BrandingRow, Fields>> = Object.fromEntries(named);
  const change = beginChange(context)
    .guard(organizationExists(organizationId), notFound())
    .guard(atRevision(organizationId, revision), staleRevision());
  touchBranding(context, change, organizationId, context.now, fields);
  change.add(
    auditStatement(context, {
      organizationId,
      action: "branding.updated",
      subjectType: "organization",
      subjectId: organizationId,
      details: fields,
    }),
  );
  await change.commit();
  return presentBranding(await findBranding(context, organizationId));
}
