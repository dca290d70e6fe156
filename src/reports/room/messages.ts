import * as decoding from "lib0/decoding";
import * as encoding from "lib0/encoding";
import { writePermissionDenied } from "y-protocols/auth";
import * as awarenessProtocol from "y-protocols/awareness";
import * as syncProtocol from "y-protocols/sync";
import type * as Y from "yjs";

/** Kinds of message that an y-websocket provider knows. */
export const SYNC = 0;
export const AWARENESS = 1;
export const AUTH = 2;
export const QUERY_AWARENESS = 3;

function message(kind: number, write: (encoder: encoding.Encoder) => void): Uint8Array {
  const encoder = encoding.createEncoder();
  encoding.writeVarUint(encoder, kind);
  write(encoder);
  return encoding.toUint8Array(encoder);
}

/** Asks a provider for what we lack. */
export const askForState = (doc: Y.Doc): Uint8Array =>
  message(SYNC, (encoder) => syncProtocol.writeSyncStep1(encoder, doc));

export const tellUpdate = (update: Uint8Array): Uint8Array =>
  message(SYNC, (encoder) => syncProtocol.writeUpdate(encoder, update));

export const tellPresence = (update: Uint8Array): Uint8Array =>
  message(AWARENESS, (encoder) => encoding.writeVarUint8Array(encoder, update));

/** Tells a provider that something was not taken, and why: it shows it as a warning unless told otherwise. */
export const tellRefusal = (reason: string): Uint8Array =>
  message(AUTH, (encoder) => writePermissionDenied(encoder, reason));

/** Asks every provider to say again who is there. */
export const askForPresence = (): Uint8Array => message(QUERY_AWARENESS, () => {});

/** What a sync message of a provider asks or brings. */
export type SyncMessage = { kind: "asks"; answer: (doc: Y.Doc) => Uint8Array } | { kind: "brings"; update: Uint8Array };

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
      return { kind: "brings", update: content };
    default:
      return { kind: "other" };
  }
}

/** The client ids that a presence update speaks for. @throws when it is malformed. */
export function clientsOf(update: Uint8Array): number[] {
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
