import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { grants } from "../../src/access/tables";
import { openDatabases } from "../../src/platform/db/database";
import { newId } from "../../src/platform/ids";
import { DAY } from "../../src/platform/time";
import { invitations } from "../../src/workspace/tables";
import { mintCluster, mintGrant, mintOrganization, mintPerson } from "../support/factories";
import { runThrough } from "../support/jobs";

const { workspace: db } = openDatabases(env.DB);

test("only grants and invitations that ended a month ago are deleted", async () => {
  const { id: organizationId, owner } = await mintOrganization();
  const now = Date.now();
  const ends = [null, now + DAY, now - 29 * DAY, now - 31 * DAY];
  for (const expiresAt of ends) {
    const clusterId = await mintCluster({ organizationId });
    await mintGrant({ organizationId }, (await mintPerson()).userId, "cluster", clusterId, {}, { expiresAt });
    const invitation = { id: newId(), organizationId, email: `${newId()}@people.test`, role: "guest" as const };
    const rest = { overrides: {}, secretHash: newId(), invitedBy: owner.userId, createdAt: now };
    await db.insert(invitations).values({ ...invitation, ...rest, expiresAt: expiresAt ?? now + 7 * DAY });
  }
  await runThrough("expire-sharing", [{}]);
  const left = await db.select().from(grants).where(eq(grants.tenantId, organizationId));
  expect(left.map((g) => g.expiresAt).sort()).toEqual(ends.slice(0, 3).sort());
  const open = await db.select().from(invitations).where(eq(invitations.organizationId, organizationId));
  expect(open).toHaveLength(3);
});
