import type * as Y from "yjs";
import { colourOf, type Member, type Seat } from "./member";
import {
  Awareness,
  applyAwarenessUpdate,
  clientsOf,
  encodeAwarenessUpdate,
  modifyAwarenessUpdate,
  removeAwarenessStates,
  tellPresence,
} from "./messages";

/** Largest presence update, bytes: a name, a cursor, a selection. */
const LARGEST_UPDATE = 16 * 1024;
/** Clients of the shared document that one connection may speak for. */
const MOST_CLIENTS = 8;

/** Who is there and where their cursor is. Nothing of it is kept: after a pause the providers say it again. */
export class Presence {
  readonly #awareness: InstanceType<typeof Awareness>;

  constructor(doc: Y.Doc) {
    this.#awareness = new Awareness(doc);
    // Its timer would keep the object awake; providers themselves forget who is silent.
    clearInterval(this.#awareness._checkInterval);
    this.#awareness.setLocalState(null);
  }

  /** What a newcomer is told; null when nobody is there. */
  get all(): Uint8Array | null {
    const clients = [...this.#awareness.getStates().keys()];
    return clients.length === 0 ? null : tellPresence(encodeAwarenessUpdate(this.#awareness, clients));
  }

  /**
   * Takes what a connection says of itself, under its own name whatever it says.
   * @returns the message for everybody, or null for what it may not say.
   */
  take(seat: Seat, update: Uint8Array, claimed: ReadonlySet<number>): Uint8Array | null {
    if (update.byteLength > LARGEST_UPDATE) return null;
    const { member } = seat;
    const clients = clientsOf(update);
    if (clients.some((id) => !member.clients.includes(id) && claimed.has(id))) return null;
    const all = [...new Set([...member.clients, ...clients])];
    if (all.length > MOST_CLIENTS) return null;
    if (all.length > member.clients.length) seat.keep({ clients: all });
    const named = modifyAwarenessUpdate(update, (state: unknown) => withName(state, member));
    applyAwarenessUpdate(this.#awareness, named, seat);
    return tellPresence(named);
  }

  /** Takes away a connection that left. @returns the message for everybody else, or null. */
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
