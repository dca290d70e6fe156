import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import { writePermissionDenied } from "y-protocols/auth";
import * as awarenessProtocol from "y-protocols/awareness";
import * as syncProtocol from "y-protocols/sync";
import type * as Y from "yjs";
import { MAX_CLIENT_IDS_PER_CONNECTION, MAX_PRESENCE_BYTES } from "../limits";
import { colourOf, type Member, type Seat } from "./member";

/** Kinds of messages in the y-websocket protocol. */
const SYNC = 0;
const AWARENESS = 1;
const AUTH = 2;
const QUERY_AWARENESS = 3;

function message(kind: number, write: (encoder: encoding.Encoder) => void): Uint8Array {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, kind);
  write(encoder);
  return encoding.toUint8Array(encoder);
}

/** Asks a provider for the updates that the room lacks. */
export const askForState = (doc: Y.Doc): Uint8Array =>
  message(SYNC, (encoder) => syncProtocol.writeSyncStep1(encoder, doc));

export const tellUpdate = (update: Uint8Array): Uint8Array =>
  message(SYNC, (encoder) => syncProtocol.writeUpdate(encoder, update));

const tellPresence = (update: Uint8Array): Uint8Array =>
  message(AWARENESS, (encoder) => encoding.writeVarUint8Array(encoder, update));

/** Tells a provider that an edit was rejected, and why. By default the provider logs it as a warning. */
export const tellRefusal = (reason: string): Uint8Array =>
  message(AUTH, (encoder) => writePermissionDenied(encoder, reason));

/** Tells a reader, once in a connection, that an edit is rejected. */
export function refuseEdit(seat: Seat): void {
  if (seat.member.isToldToRead) return;
  seat.keep({ canWrite: false, isToldToRead: true });
  seat.send(tellRefusal("you may only read this draft; the edit is rejected"));
}

/** Asks a provider to send its presence again. */
export const askForPresence = (): Uint8Array => message(QUERY_AWARENESS, () => {});

/** A sync message of a provider: a request for updates, or an update. `isEdit`: it is no answer to the room's own request. */
type SyncMessage =
  | { kind: "asks"; answer: (doc: Y.Doc) => Uint8Array }
  | { kind: "brings"; update: Uint8Array; isEdit: boolean };

export type ProviderMessage =
  | SyncMessage
  | { kind: "presence"; update: Uint8Array }
  | { kind: "asks-presence" }
  | { kind: "other" };

/** Reads a provider's message. @throws when it is malformed. */
export function readMessage(data: Uint8Array): ProviderMessage {
  const decoder = decoding.createDecoder(data);
  switch (decoding.readVarUint(decoder)) {
    case SYNC:
      return readSync(decoder);
    case AWARENESS:
      return { kind: "presence", update: decoding.readVarUint8Array(decoder) };
    case QUERY_AWARENESS:
      return { kind: "asks-presence" };
    default:
      return { kind: "other" };
  }
}

function readSync(decoder: decoding.Decoder): ProviderMessage {
  const step = decoding.readVarUint(decoder);
  const content = decoding.readVarUint8Array(decoder);
  switch (step) {
    case syncProtocol.messageYjsSyncStep1:
      return {
        kind: "asks",
        answer: (doc) => message(SYNC, (encoder) => syncProtocol.writeSyncStep2(encoder, doc, content)),
      };
    case syncProtocol.messageYjsSyncStep2:
    case syncProtocol.messageYjsUpdate:
      return { kind: "brings", update: content, isEdit: step === syncProtocol.messageYjsUpdate };
    default:
      return { kind: "other" };
  }
}

/** The client ids in a presence update. @throws when it is malformed. */
function clientsOf(update: Uint8Array): number[] {
  const decoder = decoding.createDecoder(update);
  return Array.from({ length: decoding.readVarUint(decoder) }, () => {
    const id = decoding.readVarUint(decoder);
    decoding.readVarUint(decoder);
    decoding.readVarString(decoder);
    return id;
  });
}

export const { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate, modifyAwarenessUpdate, removeAwarenessStates } =
  awarenessProtocol;

/** The users in the room and their cursors. It is not stored: after hibernation the providers send it again. */
export class Presence {
  readonly #awareness: InstanceType<typeof Awareness>;

  constructor(doc: Y.Doc) {
    this.#awareness = new Awareness(doc);
    // The timer of y-protocols would keep the object awake. Providers remove silent users themselves.
    clearInterval(this.#awareness._checkInterval);
    this.#awareness.setLocalState(null);
  }

  /** The message for a new connection; null when the room has no presence. */
  get all(): Uint8Array | null {
    const clients = [...this.#awareness.getStates().keys()];
    return clients.length === 0 ? null : tellPresence(encodeAwarenessUpdate(this.#awareness, clients));
  }

  /**
   * Applies the presence of a connection, with the user's own name and colour.
   * @returns the message for everybody, or null when the presence is not allowed.
   */
  take(seat: Seat, update: Uint8Array, claimed: ReadonlySet<number>): Uint8Array | null {
    if (update.byteLength > MAX_PRESENCE_BYTES) return null;
    const { member } = seat;
    const clients = clientsOf(update);
    if (clients.some((id) => !member.clients.includes(id) && claimed.has(id))) return null;
    const all = [...new Set([...member.clients, ...clients])];
    if (all.length > MAX_CLIENT_IDS_PER_CONNECTION) return null;
    if (all.length > member.clients.length) seat.keep({ clients: all });
    const named = modifyAwarenessUpdate(update, (state: unknown) => withName(state, member));
    applyAwarenessUpdate(this.#awareness, named, seat);
    return tellPresence(named);
  }

  /** Removes a connection that left. @returns the message for everybody else, or null. */
  leave({ clients }: Pick<Member, "clients">): Uint8Array | null {
    const known = clients.filter((id) => this.#awareness.meta.has(id));
    if (known.length === 0) return null;
    removeAwarenessStates(this.#awareness, known, null);
    return tellPresence(encodeAwarenessUpdate(this.#awareness, known));
  }
}

function withName(state: unknown, { credential, displayName }: Member): unknown {
  if (typeof state !== "object" || state === null) return null;
  const user = { id: credential.userId, name: displayName, color: colourOf(credential.userId) };
  return { ...state, user };
}
