import { eq } from "drizzle-orm";
import { READ, requireLevel } from "../../access";
import { organizations } from "../../access/tables";
import type { Context } from "../../platform/context";
import { notFound } from "../../platform/errors";
import { placeOfOrganization } from "../places";
import type { OrganizationRow } from "./present";

/** An organization by id, whoever asks. @throws DomainError 404. */
export async function findOrganization({ db }: Pick<Context, "db">, organizationId: string): Promise<OrganizationRow> {
  const [row] = await db.select().from(organizations).where(eq(organizations.id, organizationId));
  if (row === undefined) throw notFound();
  return row;
}

/** An organization the caller is a member of. @throws DomainError 401, 404 (absent or hidden, alike). */
export async function readOrganization(context: Context, organizationId: string): Promise<OrganizationRow> {
  requireLevel(context, placeOfOrganization(organizationId), "OrganizationView", "OrganizationView", READ);
  return findOrganization(context, organizationId);
}
