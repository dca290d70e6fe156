import { eq } from "drizzle-orm";
import { grants, organizations, type RemovedContents, removalOwners, removals } from "../../access/tables";
import { type EventOf, type Message, type MessagesOf, NOWHERE } from "../../events";
import type { Context } from "../../platform/context";
import { inSet } from "../../platform/db/statements";
import type { InEachLanguage, ReaderLanguage } from "../../platform/languages/languages";
import { DAY } from "../../platform/time";
import { allKinds, type ShareableKind } from "../grantable";
import { INVITATION_LIFETIME_MS } from "../limits";
import * as de from "./de";
import * as en from "./en";
import * as es from "./es";
import * as fr from "./fr";

const MESSAGES: InEachLanguage<typeof en.MESSAGES> = {
  en: en.MESSAGES,
  de: de.MESSAGES,
  fr: fr.MESSAGES,
  es: es.MESSAGES,
};

/** The mail of an invitation, without its address. */
export const invitationMail = (language: ReaderLanguage, organization: string, link: string) =>
  MESSAGES[language].invitation(organization, INVITATION_LIFETIME_MS / DAY, link);

/** The mail of a share that waits for a person, without its address. @param until when it ends without that person */
export const shareMail = (
  language: ReaderLanguage,
  organization: string,
  target: ShareableKind["target"],
  until: number,
  link: string,
) => MESSAGES[language].shareInvitation(organization, MESSAGES[language].sharesThing[target], until, link);

/** The mail about a deleted organization. @param until when its removal begins, null if it has begun */
export const deletedMail = (
  language: ReaderLanguage,
  name: string,
  by: string | null,
  until: number | null,
  link: string,
) => MESSAGES[language].deletedMail(name, by, until, link);

/** Kinds of the receipt of a removed organization. */
export type RemovedKind = keyof typeof en.MESSAGES.removedKinds;

/** The mail with the receipt of a removed organization. A newer version of the service can have written kinds that this version does not know. */
export function removedMail(
  language: ReaderLanguage,
  name: string,
  at: number,
  contents: readonly RemovedContents[],
  link: string,
) {
  const { removedKinds, removedLine, removedMail: mail } = MESSAGES[language];
  const kinds: Readonly<Record<string, string | undefined>> = removedKinds;
  const lines = contents.map(({ kind, count, bytes }) => removedLine(kinds[kind] ?? kind, count, bytes));
  return mail(name, at, lines.join("\n"), link);
}

async function membershipGiven({ workspace }: Context, event: EventOf<"membership-given">): Promise<Message | null> {
  const [organization] = await workspace.select().from(organizations).where(eq(organizations.id, event.organizationId));
  if (organization === undefined) return null;
  return {
    type: "membership-given",
    severity: "info",
    text: (language) => ({ title: MESSAGES[language].memberNow, body: organization.name }),
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
      text: (language) => ({ title: MESSAGES[language].shared[target], body: resource.name }),
      origin: { type: target === "document" ? "spatial-document" : target, id: targetId, data: {} },
      organizationId: grant.organizationId,
      clusterId: target === "cluster" ? targetId : null,
      locationId: resource.locationId,
      documentId: target === "document" ? targetId : null,
      audience: { kind: "users", userIds: [grant.userId] },
      actorUserId: event.actorUserId,
    };
  };

/** Names of shared documents in one notification. The others are counted. */
const MAX_NAMED_DOCUMENTS = 3;

/** Grants of documents that were given together, without those that have ended since: one message for all. */
const grantsGiven =
  (kinds: readonly ShareableKind[]) =>
  async (context: Context, { grantIds, actorUserId }: EventOf<"grants-given">): Promise<Message | null> => {
    const rows = await context.workspace.select().from(grants).where(inSet(grants.id, grantIds));
    const given = rows.toSorted((a, b) => grantIds.indexOf(a.id) - grantIds.indexOf(b.id));
    const [first] = given;
    if (first === undefined) return null;
    const kind = kinds.find(({ target }) => target === first.target);
    const named = await Promise.all(
      given.slice(0, MAX_NAMED_DOCUMENTS).map(({ targetId }) => kind?.describe(context, targetId)),
    );
    const names = named.flatMap((one) => (one ? [one.name] : []));
    const locationId = named[0]?.locationId ?? null;
    return {
      type: "grant-given",
      severity: "info",
      text: (language) => {
        const { shared, sharedDocuments, documentNames } = MESSAGES[language];
        return {
          title: given.length === 1 ? shared.document : sharedDocuments(given.length),
          body: documentNames(names, given.length - names.length),
        };
      },
      origin: { type: "spatial-document", id: first.targetId, data: { documents: given.length } },
      organizationId: first.organizationId,
      clusterId: null,
      locationId,
      documentId: first.targetId,
      audience: { kind: "users", userIds: [first.userId] },
      actorUserId,
    };
  };

async function storageLevel({ workspace }: Context, event: EventOf<"storage-level">): Promise<Message | null> {
  const [organization] = await workspace.select().from(organizations).where(eq(organizations.id, event.tenantId));
  const full = event.percent === 100;
  return {
    type: full ? "storage-full" : "storage-low",
    severity: full ? "error" : "warning",
    text: (language) => {
      const { storageFull, storageUsed, personalWorkspace } = MESSAGES[language];
      return {
        title: full ? storageFull : storageUsed(event.percent),
        body: organization?.name ?? personalWorkspace,
      };
    },
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

/** The name of an organization that is deleted, or removed meanwhile; null if there is neither. */
async function nameOfDeleted(context: Context, organizationId: string): Promise<string | null> {
  const [row] = await context.workspace.select().from(organizations).where(eq(organizations.id, organizationId));
  if (row !== undefined) return row.name;
  const [receipt] = await context.directory.select().from(removals).where(eq(removals.workspaceId, organizationId));
  return receipt?.name ?? null;
}

/** The organization does not count for the access to the message: nobody sees it any more. */
async function organizationDeleted(
  context: Context,
  { organizationId, userIds, removedFrom, actorUserId }: EventOf<"organization-deleted">,
): Promise<Message | null> {
  const name = await nameOfDeleted(context, organizationId);
  if (name === null) return null;
  return {
    type: "organization-deleted",
    severity: "warning",
    text: (language) => {
      const { organizationDeleted: title, restorable, beingRemoved } = MESSAGES[language];
      return { title, body: removedFrom === null ? beingRemoved(name) : restorable(name, removedFrom) };
    },
    origin: null,
    ...NOWHERE,
    audience: { kind: "users", userIds },
    actorUserId,
  };
}

async function organizationRemoved(
  { directory }: Context,
  { organizationId }: EventOf<"organization-removed">,
): Promise<Message | null> {
  const [receipt] = await directory.select().from(removals).where(eq(removals.workspaceId, organizationId));
  if (receipt?.name == null) return null;
  const { name } = receipt;
  const readers = await directory.select().from(removalOwners).where(eq(removalOwners.workspaceId, organizationId));
  return {
    type: "organization-removed",
    severity: "info",
    text: (language) => ({ title: MESSAGES[language].organizationRemoved, body: name }),
    origin: null,
    ...NOWHERE,
    audience: { kind: "users", userIds: readers.map(({ userId }) => userId) },
    actorUserId: null,
  };
}

/** The messages of events about memberships, sharing, storage and the end of organizations. `kinds` are the shareable kinds of other features. */
export const workspaceMessages = (
  kinds: readonly ShareableKind[],
): MessagesOf<
  | "membership-given"
  | "grant-given"
  | "grants-given"
  | "storage-level"
  | "organization-deleted"
  | "organization-removed"
> => ({
  "membership-given": membershipGiven,
  "grant-given": grantGiven(allKinds(kinds)),
  "grants-given": grantsGiven(kinds),
  "storage-level": storageLevel,
  "organization-deleted": organizationDeleted,
  "organization-removed": organizationRemoved,
});
