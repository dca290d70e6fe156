import { eq } from "drizzle-orm";
import { grants, organizations } from "../../access/tables";
import { type EventOf, type Message, type MessagesOf, NOWHERE } from "../../events";
import type { Context } from "../../platform/context";
import { SHAREABLE_CLUSTERS, SHAREABLE_LOCATIONS, type ShareableKind } from "../grantable";

async function membershipGiven({ workspace }: Context, event: EventOf<"membership-given">): Promise<Message | null> {
  const [organization] = await workspace.select().from(organizations).where(eq(organizations.id, event.organizationId));
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

const grantGiven =
  (kinds: readonly ShareableKind[]) =>
  async (context: Context, event: EventOf<"grant-given">): Promise<Message | null> => {
    const [grant] = await context.workspace.select().from(grants).where(eq(grants.id, event.grantId));
    if (grant === undefined) return null;
    const { target, targetId } = grant;
    const resource = (await kinds.find((kind) => kind.target === target)?.describe(context, targetId)) ?? null;
    if (resource === null) return null;
    return {
      type: "grant-given",
      severity: "info",
      title: `A ${target} was shared with you`,
      body: resource.name,
      origin: { type: target === "document" ? "spatial-document" : target, id: targetId, data: {} },
      organizationId: grant.organizationId,
      clusterId: target === "cluster" ? targetId : null,
      locationId: resource.locationId,
      documentId: target === "document" ? targetId : null,
      audience: { kind: "users", userIds: [grant.userId] },
      actorUserId: event.actorUserId,
    };
  };

async function storageLevel({ workspace }: Context, event: EventOf<"storage-level">): Promise<Message | null> {
  const [organization] = await workspace.select().from(organizations).where(eq(organizations.id, event.tenantId));
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

/** The messages of events about memberships, sharing and storage. `kinds` are the shareable kinds of other features. */
export const workspaceMessages = (
  kinds: readonly ShareableKind[],
): MessagesOf<"membership-given" | "grant-given" | "storage-level"> => ({
  "membership-given": membershipGiven,
  "grant-given": grantGiven([SHAREABLE_CLUSTERS, SHAREABLE_LOCATIONS, ...kinds]),
  "storage-level": storageLevel,
});
