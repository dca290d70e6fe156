import { eq } from "drizzle-orm";
import { grants, organizations } from "../access/tables";
import { documents } from "../documents/tables";
import { type EventOf, type Message, type MessagesOf, NOWHERE } from "../events";
import type { Context } from "../platform/context";
import { clusters, locations } from "./tables";

async function membershipGiven({ db }: Context, event: EventOf<"membership-given">): Promise<Message | null> {
  const [organization] = await db.select().from(organizations).where(eq(organizations.id, event.organizationId));
  if (organization === undefined) return null;
  return {
    type: "membership-given",
    severity: "info",
    title: "You are a member now",
    body: organization.name,
    origin: { type: "organization", id: organization.id, data: {} },
    ...NOWHERE,
    organizationId: organization.id,
    audience: { kind: "users", userIds: [event.userId] },
    actorUserId: event.actorUserId,
  };
}

async function grantGiven({ db }: Context, event: EventOf<"grant-given">): Promise<Message | null> {
  const [grant] = await db.select().from(grants).where(eq(grants.id, event.grantId));
  if (grant === undefined) return null;
  const name = {
    cluster: () =>
      db.select({ name: clusters.name, clusterId: clusters.id }).from(clusters).where(eq(clusters.id, grant.targetId)),
    location: () => db.select({ name: locations.name }).from(locations).where(eq(locations.id, grant.targetId)),
    document: () =>
      db
        .select({ name: documents.fileName, locationId: documents.locationId })
        .from(documents)
        .where(eq(documents.id, grant.targetId)),
  };
  const [target]: { name: string; locationId?: string }[] = await name[grant.target]();
  if (target === undefined) return null;
  const originType = grant.target === "document" ? "spatial-document" : grant.target;
  return {
    type: "grant-given",
    severity: "info",
    title: `A ${grant.target} was shared with you`,
    body: target.name,
    origin: { type: originType, id: grant.targetId, data: {} },
    organizationId: grant.organizationId,
    clusterId: grant.target === "cluster" ? grant.targetId : null,
    locationId: grant.target === "location" ? grant.targetId : (target.locationId ?? null),
    documentId: grant.target === "document" ? grant.targetId : null,
    audience: { kind: "users", userIds: [grant.userId] },
    actorUserId: event.actorUserId,
  };
}

async function storageLevel({ db }: Context, event: EventOf<"storage-level">): Promise<Message | null> {
  const [organization] = await db.select().from(organizations).where(eq(organizations.id, event.tenantId));
  const full = event.percent === 100;
  return {
    type: full ? "storage-full" : "storage-low",
    severity: full ? "error" : "warning",
    title: full ? "The storage is full" : `${event.percent} % of the storage is used`,
    body: organization?.name ?? "Personal workspace",
    origin:
      organization === undefined
        ? null
        : { type: "organization", id: organization.id, data: { percent: event.percent } },
    ...NOWHERE,
    organizationId: organization?.id ?? null,
    audience:
      organization === undefined
        ? { kind: "users", userIds: [event.tenantId] }
        : { kind: "administrators", organizationId: organization.id },
    actorUserId: null,
  };
}

/** The messages of events about memberships, sharing and storage. */
export const workspaceMessages: MessagesOf<"membership-given" | "grant-given" | "storage-level"> = {
  "membership-given": membershipGiven,
  "grant-given": grantGiven,
  "storage-level": storageLevel,
};
