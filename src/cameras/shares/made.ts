import { and, eq, isNull, sql } from "drizzle-orm";
import type { MadeLinks } from "../../workspace";
import { cameraShares } from "../tables";

/** Links that the audit row of a removed member names. It counts the others. */
const MAX_AUDITED_LINKS = 100;

/** The end of the links that a member made in an organization, when the member is removed. */
export const MADE_SHARES: MadeLinks = {
  async revoke({ workspace, now }, change, organizationId, userId) {
    const made = and(
      eq(cameraShares.organizationId, organizationId),
      eq(cameraShares.createdBy, userId),
      isNull(cameraShares.revokedAt),
    );
    const rows = await workspace
      .select({ id: cameraShares.id, total: sql<number>`count(*) OVER ()` })
      .from(cameraShares)
      .where(made)
      .limit(MAX_AUDITED_LINKS);
    const ended = { revokedAt: now, updatedAt: now, revision: sql`${cameraShares.revision} + 1` };
    change.add(workspace.update(cameraShares).set(ended).where(made));
    return { linksRevoked: rows[0]?.total ?? 0, links: rows.map(({ id }) => id) };
  },
};
