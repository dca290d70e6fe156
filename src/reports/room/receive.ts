import * as Y from "yjs";
import { MAX_ROOM_MESSAGE_BYTES } from "../limits";
import type { SharedDraft } from "./document";
import type { CloseReason, Seat } from "./member";
import { type Presence, type ProviderMessage, readMessage, refuseEdit } from "./messages";
import { hasLongNames } from "./shape";

/** The part of a room that message handlers use. */
interface RoomPort {
  readonly draft: SharedDraft;
  readonly presence: Presence;
  readonly seats: readonly Seat[];
  broadcast(data: Uint8Array, except: Seat | null): void;
}

type ReadMessage =
  | Exclude<ProviderMessage, { kind: "brings" }>
  | (Extract<ProviderMessage, { kind: "brings" }> & { decoded: ReturnType<typeof Y.decodeUpdate> });

function readOrNull(data: Uint8Array): ReadMessage | null {
  try {
    const message = readMessage(data);
    // Decoding it first keeps a broken update from being applied in part.
    return message.kind === "brings" ? { ...message, decoded: Y.decodeUpdate(message.update) } : message;
  } catch {
    return null;
  }
}

/** Handles a provider's message; closes the connection when the message breaks the rules. */
export function receive(room: RoomPort, seat: Seat, data: string | ArrayBuffer): void {
  const refusal = handle(room, seat, data);
  if (refusal !== null) seat.close(refusal);
}

function handle(room: RoomPort, seat: Seat, data: string | ArrayBuffer): CloseReason | null {
  if (typeof data === "string") return "malformed";
  if (data.byteLength > MAX_ROOM_MESSAGE_BYTES) return "tooLarge";
  const message = readOrNull(new Uint8Array(data));
  if (message === null) return "malformed";
  const { member } = seat;
  if (member.expiresAt <= Date.now()) return "expired";
  switch (message.kind) {
    case "asks":
      seat.send(message.answer(room.draft.doc));
      return null;
    case "brings":
      // A reader's edit is rejected, with the reason. A provider also sends an update in answer to the room's own request.
      if (!member.canWrite) {
        if (message.isEdit) refuseEdit(seat);
        return null;
      }
      if (hasLongNames(message.decoded)) return "tooLarge";
      if (!room.draft.hasRoomFor(message.update.byteLength, member.credential.userId)) return "tooLarge";
      room.draft.take(message.update, seat);
      return null;
    case "asks-presence": {
      const { all } = room.presence;
      if (all !== null) seat.send(all);
      return null;
    }
    case "presence":
      return takePresence(room, seat, message.update);
    case "other":
      return null;
  }
}

function takePresence(room: RoomPort, seat: Seat, update: Uint8Array): CloseReason | null {
  const claimed = new Set(room.seats.flatMap((other) => other.member.clients));
  try {
    const told = room.presence.take(seat, update, claimed);
    // The sender receives it too, because a provider reconnects after 30 s without a message.
    if (told !== null) room.broadcast(told, null);
    return null;
  } catch {
    return "malformed";
  }
}
