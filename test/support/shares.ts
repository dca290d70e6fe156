import { env } from "cloudflare:workers";
import { writeShareToken } from "../../src/cameras/shares/links";
import { cameraShares } from "../../src/cameras/tables";
import { randomHex, sha256Hex } from "../../src/platform/crypto/bytes";
import { openDatabases } from "../../src/platform/db/database";
import { newId } from "../../src/platform/ids";

/** Writes a link to cameras of a location directly into the database. @returns its id and token. */
export async function mintShare(
  organizationId: string,
  locationId: string,
  cameraIds: string[],
  overrides: Partial<typeof cameraShares.$inferInsert> = {},
): Promise<{ id: string; token: string }> {
  const [id, secret, now] = [newId(), randomHex(32), Date.now()];
  await openDatabases(env.DB)
    .workspace.insert(cameraShares)
    .values({
      id,
      tenantId: organizationId,
      organizationId,
      locationId,
      name: "Link",
      cameraIds,
      secretHash: await sha256Hex(secret),
      createdAt: now,
      updatedAt: now,
      ...overrides,
    });
  return { id, token: writeShareToken(id, secret) };
}

/** The header of requests with a link. */
export const withShare = (token: string): Record<string, string> => ({ "x-camera-share": token });
