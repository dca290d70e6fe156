import { z } from "@hono/zod-openapi";
import { and, desc, eq, isNull, lt, or, sql } from "drizzle-orm";
import { auditStatement, contextOfNumber, requireLevel, requireUser, WRITE } from "../../access";
import { organizations, people } from "../../access/tables";
import type { Context } from "../../platform/context";
import { beginChange } from "../../platform/db/change";
import { type PageQuery, readCursor, toPage } from "../../platform/db/cursor";
import { DomainError, notFound } from "../../platform/errors";
import { canonicalEmail } from "../../platform/http/fields";
import { checkPrecondition, type Precondition, staleRevision } from "../../platform/http/revision";
import { idSchema } from "../../platform/ids";
import { readerLanguage } from "../../platform/languages/reader";
import { toUtc, toUtcOrNull, utcSchema } from "../../platform/time";
import {
  baseRevisionSchema,
  editableFields,
  idKey,
  type LocationRow,
  locationExists,
  locationPath,
  requireLocation,
} from "../../workspace";
import { locations } from "../../workspace/tables";
import { pathSchema } from "../document";
import { MAX_ALLOWED_SENDERS, MAX_ARRIVAL_BYTES } from "../limits";
import { ARRIVALS } from "../messages";
import { ARRIVAL_REASONS, ARRIVAL_STATUSES, DOCUMENT_KINDS, mailAddresses, mailArrivals } from "../tables";
import { newLocalPart, readRecipient } from "./local-part";

export type MailAddressRow = typeof mailAddresses.$inferSelect;
export type ArrivalRow = typeof mailArrivals.$inferSelect;

/** A sender in the form in which it is stored: an address, or a domain. */
const senderSchema = z
  .string()
  .max(300)
  .transform((text, context) => {
    const given = text.trim().replace(/^@/, "");
    const address = given.includes("@") ? canonicalEmail(given) : canonicalEmail(`x@${given}`)?.slice(2);
    if (address !== undefined && address !== null) return address;
    context.addIssue({ code: "custom", message: "must be an e-mail address or a domain" });
    return z.NEVER;
  })
  .openapi({ type: "string", example: "scanner@example.org" });

const rules = {
  senders: z.array(senderSchema).max(MAX_ALLOWED_SENDERS).nullable().openapi({
    description:
      "Addresses and domains that may send. Null: everybody with an account who may add documents at the location.",
  }),
  attachmentKinds: z
    .array(z.enum(DOCUMENT_KINDS))
    .min(1)
    .max(DOCUMENT_KINDS.length)
    .nullable()
    .openapi({ description: "The kinds of attachments that it takes. Null: all." }),
  maxBytes: z.int().min(1_024).max(MAX_ARRIVAL_BYTES).nullable().openapi({
    description: "Size of the largest mail that it takes, with its encoding. Null: the limit of the service.",
  }),
  path: pathSchema.nullable().openapi({ description: "The folder of the documents. Null: the root." }),
};

export const newMailAddressSchema = z.strictObject(z.object(rules).partial().shape).openapi("MailAddressCreate");
type NewMailAddress = z.infer<typeof newMailAddressSchema>;

export const mailAddressChangeSchema = z
  .strictObject({
    ...z.object(rules).partial().shape,
    isEnabled: z.boolean().optional(),
    baseRevision: baseRevisionSchema,
  })
  .refine(({ baseRevision: _, ...fields }) => Object.keys(fields).length > 0, "change at least one field")
  .openapi("MailAddressUpdate");
type MailAddressChange = Omit<z.infer<typeof mailAddressChangeSchema>, "baseRevision">;

export const mailAddressSchema = z
  .object({
    address: z.string().openapi({ example: "8q2kd6x0a1n5v7w3r9t4c8m2b@in.example.org" }),
    isEnabled: z.boolean(),
    senders: z.array(z.string()).nullable(),
    attachmentKinds: z.array(z.enum(DOCUMENT_KINDS)).nullable(),
    maxBytes: z.int().nullable(),
    path: z.string(),
    actsFor: z.object({ userId: idSchema, displayName: z.string().nullable() }).openapi({
      description:
        "The person with whose access the documents are added: who last set up, changed or replaced the address.",
    }),
    ...editableFields,
  })
  .openapi("MailAddress");
type MailAddressDto = z.infer<typeof mailAddressSchema>;

export const mailAddressStateSchema = z
  .object({
    isAvailable: z.boolean().openapi({ description: "Whether this service receives mail." }),
    address: z.union([mailAddressSchema, z.null()]).openapi({ description: "Null if the location has none." }),
  })
  .openapi("MailAddressState");

export const arrivalSchema = z
  .object({
    id: idSchema,
    sender: z.string().openapi({ description: "The address in `From`, or of the envelope if `From` has none." }),
    subject: z.string(),
    sizeBytes: z.int(),
    status: z.enum(ARRIVAL_STATUSES),
    reason: z.union([z.enum(ARRIVAL_REASONS), z.null()]).openapi({
      description: "Why it was refused. `unreadable` of a filed mail: its attachments are not documents of their own.",
    }),
    detail: z.string().nullable().openapi({ description: "The reason in words." }),
    documentCount: z.int().openapi({ description: "Number of documents that it became." }),
    documentId: idSchema.nullable().openapi({ description: "The document of the mail itself." }),
    receivedAtUtc: utcSchema,
    finishedAtUtc: utcSchema.nullable(),
  })
  .openapi("MailArrival");

/** The domain of the addresses. @throws DomainError rule-violated if the operator has set none. */
function requireDomain({ settings }: Pick<Context, "settings">): string {
  if (settings.MAIL_DOMAIN !== undefined) return settings.MAIL_DOMAIN;
  throw new DomainError("rule-violated", "This service receives no mail. Ask its operator to set it up.");
}

/** A location whose address the caller manages. @throws DomainError 401, 403, 404. */
async function requireManaged(context: Context, locationId: string): Promise<LocationRow> {
  const location = await requireLocation(context, locationId, "LocationView", WRITE);
  requireLevel(context, locationPath(location), "LocationView", "Documents", WRITE);
  return location;
}

async function findOfLocation({ workspace }: Pick<Context, "workspace">, locationId: string) {
  const [row] = await workspace
    .select({ address: mailAddresses, name: people.displayName })
    .from(mailAddresses)
    .leftJoin(people, and(eq(people.id, mailAddresses.actsFor), isNull(people.deletedAt)))
    .where(eq(mailAddresses.locationId, locationId));
  return row ?? null;
}

const present = (
  { address: row, name }: NonNullable<Awaited<ReturnType<typeof findOfLocation>>>,
  domain: string,
): MailAddressDto => ({
  address: `${row.localPart}@${domain}`,
  isEnabled: row.isEnabled,
  senders: row.senders.length === 0 ? null : row.senders,
  attachmentKinds: row.kinds,
  maxBytes: row.maxBytes,
  path: row.path,
  actsFor: { userId: row.actsFor, displayName: name },
  revision: row.revision,
  createdAtUtc: toUtc(row.createdAt),
  updatedAtUtc: toUtc(row.updatedAt),
});

/** The address of a location, if it has one. @throws DomainError 401, 403, 404. */
export async function readMailAddress(
  context: Context,
  locationId: string,
): Promise<z.infer<typeof mailAddressStateSchema>> {
  await requireManaged(context, locationId);
  const { MAIL_DOMAIN: domain } = context.settings;
  const found = domain === undefined ? null : await findOfLocation(context, locationId);
  const address = found === null || domain === undefined ? null : present(found, domain);
  return { isAvailable: domain !== undefined, address };
}

/** The address of a location that the caller manages. @throws DomainError 401, 403, 404, 422. */
async function requireAddress(context: Context, locationId: string) {
  const location = await requireManaged(context, locationId);
  const domain = requireDomain(context);
  const found = await findOfLocation(context, locationId);
  if (found === null) throw notFound();
  return { location, domain, row: found.address };
}

async function presented(context: Context, locationId: string, domain: string): Promise<MailAddressDto> {
  const found = await findOfLocation(context, locationId);
  if (found === null) throw notFound();
  return present(found, domain);
}

/** The columns of rules. What is absent stays as it is; null is the default. */
const columnsOf = ({ senders, attachmentKinds, maxBytes, path }: NewMailAddress) => ({
  ...(senders !== undefined && { senders: [...new Set(senders ?? [])] }),
  ...(attachmentKinds !== undefined && { kinds: attachmentKinds }),
  ...(maxBytes !== undefined && { maxBytes }),
  ...(path !== undefined && { path: path ?? "" }),
});

/** The audit entry of an address. It does not have the address itself, which lets people send. */
const entryOf = (
  { id, organizationId }: Pick<LocationRow, "id" | "organizationId">,
  verb: "created" | "changed" | "rotated" | "deleted",
  details: Record<string, unknown> = {},
) => ({
  organizationId,
  action: `mail-address.${verb}`,
  subjectType: "location",
  subjectId: id,
  details,
});

/**
 * Gives a location an address for mail. The documents that arrive are added with the access of the caller.
 * @throws DomainError 401, 403, 404, 409 already-exists, 422 if the service receives no mail.
 */
export async function createMailAddress(
  context: Context,
  locationId: string,
  given: NewMailAddress,
): Promise<MailAddressDto> {
  const location = await requireManaged(context, locationId);
  const domain = requireDomain(context);
  const { workspace, now } = context;
  const { userId } = requireUser(context);
  const { tenantId, organizationId } = location;
  const row: MailAddressRow = {
    ...{ locationId, tenantId, organizationId, localPart: newLocalPart(tenantId), isEnabled: true },
    ...{ path: "", senders: [], kinds: null, maxBytes: null },
    ...columnsOf(given),
    ...{ actsFor: userId, revision: 1, createdBy: userId, createdAt: now, updatedAt: now },
  };
  await beginChange(context, tenantId)
    .guard(locationExists(locationId), notFound())
    .add(workspace.insert(mailAddresses).values(row).onConflictDoNothing())
    .guardChanged(new DomainError("already-exists", "The location has an address already. Change or replace it."))
    .add(auditStatement(context, entryOf(location, "created", { ...given })))
    .commit();
  return presented(context, locationId, domain);
}

async function write(
  context: Context,
  { location, row }: { location: LocationRow; row: MailAddressRow },
  changed: Partial<MailAddressRow>,
  entry: Parameters<typeof auditStatement>[1],
): Promise<void> {
  const asRead = and(eq(mailAddresses.locationId, location.id), eq(mailAddresses.revision, row.revision));
  await beginChange(context, row.tenantId)
    .guard(locationExists(location.id), notFound())
    .add(
      context.workspace
        .update(mailAddresses)
        .set({
          ...changed,
          // Who opens the address answers for what comes in.
          actsFor: requireUser(context).userId,
          revision: row.revision + 1,
          updatedAt: context.now,
        })
        .where(asRead),
    )
    .guardChanged(staleRevision())
    .add(auditStatement(context, entry))
    .commit();
}

/** Changes the rules of an address, or switches it on and off. @throws DomainError 401, 403, 404, 409, 412, 422. */
export async function updateMailAddress(
  context: Context,
  locationId: string,
  given: MailAddressChange,
  precondition: Precondition,
): Promise<MailAddressDto> {
  const found = await requireAddress(context, locationId);
  checkPrecondition(precondition, found.row.revision);
  const { isEnabled, ...changes } = given;
  const changed = { ...columnsOf(changes), ...(isEnabled !== undefined && { isEnabled }) };
  await write(context, found, changed, entryOf(found.location, "changed", given));
  return presented(context, locationId, found.domain);
}

/** Gives a location another address. The former one ends at once. @throws DomainError 401, 403, 404, 409, 412, 422. */
export async function rotateMailAddress(
  context: Context,
  locationId: string,
  precondition: Precondition,
): Promise<MailAddressDto> {
  const found = await requireAddress(context, locationId);
  checkPrecondition(precondition, found.row.revision);
  const localPart = newLocalPart(found.row.tenantId);
  await write(context, found, { localPart }, entryOf(found.location, "rotated"));
  return presented(context, locationId, found.domain);
}

/** Removes the address of a location. Mails that were taken are still filed. @throws DomainError 401, 403, 404, 409, 412. */
export async function deleteMailAddress(
  context: Context,
  locationId: string,
  precondition: Precondition,
): Promise<void> {
  const location = await requireManaged(context, locationId);
  const found = await findOfLocation(context, locationId);
  if (found === null) throw notFound();
  const { address: row } = found;
  checkPrecondition(precondition, row.revision);
  const present = sql`EXISTS (SELECT 1 FROM ${mailAddresses} WHERE ${mailAddresses.locationId} = ${locationId})`;
  await beginChange(context, row.tenantId)
    .guard(locationExists(locationId), notFound())
    .guard(present, notFound())
    .add(
      context.workspace
        .delete(mailAddresses)
        .where(and(eq(mailAddresses.locationId, locationId), eq(mailAddresses.revision, row.revision))),
    )
    .guardChanged(staleRevision())
    .add(auditStatement(context, entryOf(location, "deleted")))
    .commit();
}

/** Lists the mails that came to a location, newest first. @throws DomainError 401, 403, 404. */
export async function listArrivals(context: Context, locationId: string, query: PageQuery) {
  await requireManaged(context, locationId);
  const [before] = readCursor(query.cursor, idKey) ?? [null];
  const rows = await context.workspace
    .select()
    .from(mailArrivals)
    .where(and(eq(mailArrivals.locationId, locationId), before === null ? undefined : lt(mailArrivals.id, before)))
    .orderBy(desc(mailArrivals.id))
    .limit(query.limit + 1);
  const texts = ARRIVALS[readerLanguage(context)];
  return toPage(
    rows,
    query.limit,
    ({ id }) => [id],
    (row): z.infer<typeof arrivalSchema> => ({
      id: row.id,
      sender: row.sender,
      subject: row.subject,
      sizeBytes: row.sizeBytes,
      status: row.status,
      reason: row.reason,
      detail:
        row.reason === null ? null : row.status === "filed" ? texts.whole : texts.reasons[row.reason](row.named ?? ""),
      documentCount: row.documents,
      documentId: row.documentId,
      receivedAtUtc: toUtc(row.createdAt),
      finishedAtUtc: toUtcOrNull(row.finishedAt),
    }),
  );
}

/**
 * The address to which a mail was sent, its location and the context in its database. Null if there is none, or it is switched
 * off, or its location is deleted: all are the same for a sender.
 */
export async function findRecipient(
  given: Context,
  recipient: string,
): Promise<{ context: Context; address: MailAddressRow; location: LocationRow } | null> {
  const { MAIL_DOMAIN: domain } = given.settings;
  const read = domain === undefined ? null : readRecipient(recipient, domain);
  if (read === null) return null;
  const context = await contextOfNumber(given, read.number);
  const [found] = await context.workspace
    .select({ address: mailAddresses, location: locations })
    .from(mailAddresses)
    .innerJoin(locations, and(eq(locations.id, mailAddresses.locationId), isNull(locations.deletedAt)))
    .leftJoin(organizations, eq(organizations.id, mailAddresses.organizationId))
    .where(
      and(
        eq(mailAddresses.localPart, read.localPart),
        eq(mailAddresses.isEnabled, true),
        or(
          isNull(mailAddresses.organizationId),
          sql`(${organizations.id} IS NOT NULL AND ${organizations.deletedAt} IS NULL)`,
        ),
      ),
    );
  return found === undefined ? null : { context, ...found };
}
