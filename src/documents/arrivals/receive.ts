import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Context } from "../../platform/context";
import { sha256Hex } from "../../platform/crypto/bytes";
import { beginChange } from "../../platform/db/change";
import { DomainError, notFound } from "../../platform/errors";
import { consumeRateLimit } from "../../platform/http/rate-limit";
import { newIdIn } from "../../platform/ids";
import { log, noteWorkspace } from "../../platform/log";
import { confirmPendingObjects, registerPendingObjects, requireFreeStorage } from "../../uploads";
import { type LocationRow, locationExists } from "../../workspace";
import {
  MAILS_PER_ADDRESS,
  MAILS_PER_SENDER,
  MAX_ARRIVAL_BYTES,
  MAX_ARRIVAL_HEADER_BYTES,
  PENDING_OBJECT_LIFETIME_MS,
} from "../limits";
import { type ArrivalReason, mailArrivals } from "../tables";
import { type ArrivalRow, findRecipient, type MailAddressRow } from "./addresses";
import { mayAnswer, queueAnswer, refusalSentence } from "./answers";
import { hasHeaders } from "./contents";
import { endOfHeaders, type MailHeaders, readHeaders, senderAddress } from "./headers";
import { judgeSenders } from "./senders";

/** A mail that the runtime gives to the Worker. */
export type IncomingMail = Pick<ForwardableEmailMessage, "from" | "to" | "raw" | "rawSize" | "setReject">;

/** The answer for an address that does not exist, is switched off, or belongs to a deleted location: it is the same for all. */
export const NO_SUCH_ADDRESS = "This address does not exist, or takes no mail.";

/** The beginning of a mail that was read, and the way to all of its bytes. */
interface OpenedMail {
  /** Null if the headers are longer than the limit or do not end. */
  headers: MailHeaders | null;
  /** The position of the body. */
  bodyAt: number;
  /** All bytes, from the first one. It can be read once. */
  bytes: ReadableStream<Uint8Array>;
}

/** Reads a mail up to its body. It holds the headers in memory, at most their limit and one chunk. */
async function open(raw: ReadableStream<Uint8Array>): Promise<OpenedMail> {
  const reader = raw.getReader();
  const read: Uint8Array[] = [];
  let head = new Uint8Array(0);
  let bodyAt = -1;
  let isAtEnd = false;
  while (bodyAt < 0 && !isAtEnd && head.length <= MAX_ARRIVAL_HEADER_BYTES) {
    const { done, value } = await reader.read();
    isAtEnd = done;
    if (value === undefined) continue;
    read.push(value);
    const joined = new Uint8Array(head.length + value.length);
    joined.set(head);
    joined.set(value, head.length);
    bodyAt = endOfHeaders(joined, Math.max(0, head.length - 3));
    head = joined;
  }
  if (isAtEnd && bodyAt < 0) bodyAt = head.length;
  const isWhole = bodyAt >= 0 && bodyAt <= MAX_ARRIVAL_HEADER_BYTES && hasHeaders(head);
  return {
    headers: isWhole ? readHeaders(head.subarray(0, bodyAt)) : null,
    bodyAt: Math.max(0, bodyAt),
    bytes: new ReadableStream<Uint8Array>({
      async pull(controller) {
        const chunk = read.shift();
        if (chunk !== undefined) return controller.enqueue(chunk);
        const { done, value } = await reader.read();
        if (value !== undefined) controller.enqueue(value);
        if (done) controller.close();
      },
      cancel: (reason) => reader.cancel(reason),
    }),
  };
}

/** Counts a mail of a sender to an address. @throws DomainError rate-limited: the sender's server tries again later. */
async function count(context: Context, { locationId }: MailAddressRow, sender: string): Promise<void> {
  await consumeRateLimit(context, `mail:address:${locationId}`, MAILS_PER_ADDRESS);
  await consumeRateLimit(context, `mail:sender:${await sha256Hex(sender)}`, MAILS_PER_SENDER);
}

/** Why a mail is refused before it is read, with what the reason names. */
type Refusal = { reason: ArrivalReason; named?: string };

/** A size as people read it: whole KiB below a MiB, else whole MiB. */
const sizeText = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.floor(bytes / 1024)} KiB` : `${Math.floor(bytes / 1024 / 1024)} MiB`;

async function judge(
  context: Context,
  address: MailAddressRow,
  location: LocationRow,
  mail: { size: number; envelope: string | null; headers: MailHeaders | null },
): Promise<Refusal | null> {
  const { size, envelope, headers } = mail;
  if (headers === null) return { reason: "unreadable" };
  if (headers.authentication === "failed") return { reason: "sender-unverified" };
  if (envelope === null || headers.from === null) return { reason: "sender-not-allowed" };
  const reason = await judgeSenders(context, address, location, [...new Set([envelope, headers.from])]);
  if (reason !== null) return { reason };
  const most = Math.min(address.maxBytes ?? MAX_ARRIVAL_BYTES, MAX_ARRIVAL_BYTES);
  return size > most ? { reason: "too-large", named: sizeText(most) } : null;
}

/**
 * Takes a mail that came to the address of a location, or refuses it. A mail that was taken is stored with the job that files it
 * before this returns. A repeated delivery makes nothing.
 * @throws if the mail could not be stored or counted: the sender's server then gets a temporary error and tries again.
 */
export async function receiveMail(given: Context, message: IncomingMail): Promise<void> {
  const found = await findRecipient(given, message.to);
  if (found === null) {
    message.setReject(NO_SUCH_ADDRESS);
    return;
  }
  const { context, address, location } = found;
  noteWorkspace(location.tenantId);
  const envelope = senderAddress(message.from);
  await count(context, address, envelope ?? "");
  const mail = await open(message.raw);
  const row = rowOf(context, address, location, message, mail.headers, envelope);
  const refusal = await judge(context, address, location, { size: message.rawSize, envelope, headers: mail.headers });
  if (refusal === null) {
    try {
      return await take(context, location, row, mail);
    } catch (thrown) {
      if (!(thrown instanceof DomainError) || thrown.code !== "storage-full") throw thrown;
    }
  } else await mail.bytes.cancel();
  await refuse(context, row, refusal ?? { reason: "storage-full" }, message);
}

function rowOf(
  context: Context,
  address: MailAddressRow,
  location: LocationRow,
  message: IncomingMail,
  headers: MailHeaders | null,
  envelope: string | null,
): ArrivalRow {
  const { now } = context;
  const { path, kinds, actsFor } = address;
  return {
    ...{ id: newIdIn(location.tenantId), tenantId: location.tenantId, locationId: location.id, digest: "" },
    ...{ sender: headers?.from ?? envelope ?? "", subject: headers?.subject ?? "", sizeBytes: message.rawSize },
    ...{ status: "waiting", reason: null, named: null, documents: 0, documentId: null, rawKey: null },
    ...{ path, kinds, actsFor, createdAt: now, finishedAt: null },
    answerTo: mayAnswer(context, headers, envelope) ? (headers?.from ?? null) : null,
    messageId: headers?.messageId ?? null,
  };
}

/** A stream that hashes the bytes from a position on. */
function hashing(from: number, hash: ReturnType<typeof createHash>): TransformStream<Uint8Array, Uint8Array> {
  let at = 0;
  return new TransformStream({
    transform(chunk, controller) {
      if (at + chunk.length > from) hash.update(chunk.subarray(Math.max(0, from - at)));
      at += chunk.length;
      controller.enqueue(chunk);
    },
  });
}

/** Stores a mail, and then its row with the job that files it in one change. @throws DomainError storage-full. */
async function take(context: Context, location: LocationRow, row: ArrivalRow, mail: OpenedMail): Promise<void> {
  const { workspace, objects } = context;
  const { id, tenantId, locationId } = row;
  const key = `${tenantId}/arrivals/${id}.eml`;
  const held = beginChange(context, tenantId).guard(locationExists(locationId), notFound());
  requireFreeStorage(context, held, location, row.sizeBytes);
  // Its bytes count when it is a document.
  registerPendingObjects(context, held, [{ key, tenantId, chargedBytes: 0 }], PENDING_OBJECT_LIFETIME_MS);
  await held.commit();
  const hash = createHash("sha256").update(`${mail.headers?.identity ?? ""}\n`);
  await objects.write(key, mail.bytes.pipeThrough(hashing(mail.bodyAt, hash)), {
    contentType: "message/rfc822",
    sizeBytes: row.sizeBytes,
  });
  const isNew = sql`EXISTS (SELECT 1 FROM ${mailArrivals} WHERE ${mailArrivals.id} = ${id})`;
  const change = beginChange(context, tenantId)
    .guard(locationExists(locationId), notFound())
    .add(
      workspace
        .insert(mailArrivals)
        .values({ ...row, digest: hash.digest("hex"), rawKey: key })
        .onConflictDoNothing(),
    );
  confirmPendingObjects(context, change, [key], isNew);
  change.job("file-arrival", { arrivalId: id }, { tenantId, requestedBy: row.actsFor, when: isNew });
  await change.commit();
  log("info", "mail.taken", { arrivalId: id, sizeBytes: row.sizeBytes });
}

/** Records a refusal, and tells the sender: with an answer, or through the server that has delivered the mail. */
async function refuse(context: Context, row: ArrivalRow, refusal: Refusal, message: IncomingMail): Promise<void> {
  const refused: ArrivalRow = {
    ...row,
    ...{ status: "refused", reason: refusal.reason, named: refusal.named ?? null, finishedAt: context.now },
  };
  const change = beginChange(context, row.tenantId)
    .guard(locationExists(row.locationId), notFound())
    .add(context.workspace.insert(mailArrivals).values(refused));
  if (refused.answerTo === null) message.setReject(refusalSentence(refused));
  else queueAnswer(change, refused);
  await change.commit();
  log("info", "mail.refused", { arrivalId: row.id, reason: refusal.reason });
}
