import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { organizations } from "../../src/access/tables";
import { createdShareSchema, writeShareToken } from "../../src/cameras/shares/links";
import { cameraShares } from "../../src/cameras/tables";
import { randomHex, sha256Hex } from "../../src/platform/crypto/bytes";
import { openDatabases } from "../../src/platform/db/database";
import { newIdIn } from "../../src/platform/ids";
import { call, expectJson } from "./call";
import { mintCamera, mintImage } from "./cameras";
import { mintLocation, mintOrganization } from "./factories";

/** Writes a link to cameras of a location directly into the database. @returns its id and token. */
export async function mintShare(
  organizationId: string,
  locationId: string,
  cameraIds: string[],
  overrides: Partial<typeof cameraShares.$inferInsert> = {},
): Promise<{ id: string; token: string }> {
  const [id, secret, now] = [newIdIn(organizationId), randomHex(32), Date.now()];
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

/** A location with two cameras, an image of each, and a link to both that was made through the API. */
export async function sharedSite(overrides: Record<string, unknown> = {}) {
  const { id: organizationId, owner } = await mintOrganization();
  const { id: locationId } = await mintLocation({ organizationId });
  const [gate, crane] = [
    await mintCamera(organizationId, locationId, { name: "Gate" }),
    await mintCamera(organizationId, locationId, { name: "Crane" }),
  ];
  const [gateImage, craneImage] = [await mintImage(gate, locationId), await mintImage(crane, locationId)];
  const link = await expectJson(createdShareSchema, 201, "POST", `/v1/spatial/locations/${locationId}/camera-shares`, {
    token: owner.token,
    body: { name: "Neighbours", cameraIds: [gate.id, crane.id], ...overrides },
  });
  return { organizationId, owner, locationId, gate, crane, gateImage, craneImage, link };
}

/** A request of somebody who has only the link. */
export const asStranger = (token: string, path = "", headers: Record<string, string> = {}) =>
  call("GET", `/v1/shared-cameras${path}`, { headers: { ...withShare(token), ...headers } });

export type SharedSite = Awaited<ReturnType<typeof sharedSite>>;

/** Changes columns of the organization of a shared site. */
export const setOrganization = ({ organizationId }: SharedSite, set: Partial<typeof organizations.$inferInsert>) =>
  openDatabases(env.DB).workspace.update(organizations).set(set).where(eq(organizations.id, organizationId));
