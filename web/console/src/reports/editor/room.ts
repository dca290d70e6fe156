import { batch, signal } from "@preact/signals";
import * as decoding from "lib0/decoding";
import { WebsocketProvider } from "y-websocket";
import * as Y from "yjs";
import { dataOf, ProblemError, type ReportCollaboration } from "../../../../../client/src/index.ts";
import { api } from "../../platform/session.ts";

/** Pauses between attempts to be admitted again, milliseconds. */
const FIRST_RETRY_MS = 1_000;
const MAX_RETRY_MS = 15_000;
/** The code with which the room closes a connection when its token has expired. A new token gives access again. */
const TOKEN_ENDED = 4401;
/** The kind of a message that gives the reason why an edit was undone. */
const REFUSAL_MESSAGE = 2;

/** A person who has opened the report. */
export interface Person {
  clientId: number;
  id: string;
  name: string;
  color: string;
}

const isPerson = (value: unknown): value is Omit<Person, "clientId"> =>
  typeof value === "object" && value !== null && "id" in value && "name" in value && "color" in value;

/** A person's colour, as a background on which white letters are readable. */
export const groundOf = (color: string): string => `color-mix(in srgb, ${color} 60%, black)`;

export type Connection = "opening" | "live" | "lost";

/**
 * The shared draft of a report, and its connection to the room. Edits that are made without a connection are kept in
 * the document, and sent when the provider connects again.
 */
export class Room {
  readonly connection = signal<Connection>("opening");
  /** The code with which the room has closed permanently. */
  readonly ended = signal<number | null>(null);
  /** The reason why the room could not be entered. */
  readonly error = signal<unknown>(null);
  readonly readOnly = signal(true);
  /** The room that replaces this room after an edit was rejected; null while there is none. */
  readonly renewed = signal<Room | null>(null);
  /** The rule that the last undone edit violated. */
  readonly refusal = signal<string | null>(null);
  readonly people = signal<readonly Person[]>([]);
  /** The person's own name and colour, which others see. */
  readonly user = signal<ReportCollaboration["user"] | null>(null);
  /** Counts changes of the draft, by anybody. */
  readonly changes = signal(0);
  /** Whether the draft has edits of this tab that the report's revision does not have yet. */
  readonly unsaved = signal(false);
  /** The main text; null before it is loaded, and for templates without one. */
  readonly body = signal<Y.Text | null>(null);

  readonly doc = new Y.Doc();
  readonly draft: Y.Map<unknown>;
  bodyPath: string | null = null;
  #provider: WebsocketProvider | null = null;
  #closed = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #retryClose: ReturnType<typeof setTimeout> | undefined;
  #wait = FIRST_RETRY_MS;

  #isHeld = true;
  #isRefused = false;
  static readonly #rooms = new Map<string, Room>();

  /** Opens the room of a report, or the room that was left with edits that could not be sent yet. */
  static open(reportId: string): Room {
    const room = Room.#rooms.get(reportId) ?? new Room(reportId);
    room.#isHeld = true;
    Room.#rooms.set(reportId, room);
    return room;
  }

  private constructor(readonly reportId: string) {
    // The map's name is part of the protocol. The room sends it with each admission.
    this.draft = this.doc.getMap("report");
    this.doc.on("update", (_: Uint8Array, origin: unknown) =>
      batch(() => {
        if (origin !== this.#provider) this.unsaved.value = true;
        this.changes.value++;
        this.#findBody();
      }),
    );
    addEventListener("offline", this.#goOffline);
    addEventListener("online", this.#goOnline);
    addEventListener("beforeunload", this.#onLeaving);
    void this.#enter();
  }

  get awareness() {
    return this.#provider?.awareness ?? null;
  }

  /** Changes the draft in one transaction. */
  change(edit: () => void): void {
    this.doc.transact(edit);
  }

  /** Leaves the room. With edits that could not be sent, it stays open until they are. */
  leave(): void {
    this.#isHeld = false;
    // Fields write what was typed when they are removed, which is after this call.
    setTimeout(() => this.#closeWhenSent());
  }

  #closeWhenSent(): void {
    if (this.#isHeld || this.#closed) return;
    const isWaiting = this.unsaved.peek() && this.connection.peek() !== "live" && this.ended.peek() === null;
    if (isWaiting) this.#retryClose = setTimeout(() => this.#closeWhenSent(), FIRST_RETRY_MS);
    else this.#close();
  }

  #close(): void {
    this.#closed = true;
    if (Room.#rooms.get(this.reportId) === this) Room.#rooms.delete(this.reportId);
    clearTimeout(this.#retry);
    clearTimeout(this.#retryClose);
    removeEventListener("offline", this.#goOffline);
    removeEventListener("online", this.#goOnline);
    removeEventListener("beforeunload", this.#onLeaving);
    this.#provider?.destroy();
    this.doc.destroy();
  }

  #goOffline = () => {
    this.#provider?.disconnect();
    this.connection.value = "lost";
  };
  #goOnline = () => void this.#enter();
  #onLeaving = (event: BeforeUnloadEvent) => {
    if (this.unsaved.peek()) event.preventDefault();
  };

  /** Requests a token, and connects with it. Without an answer it tries again. */
  async #enter(): Promise<void> {
    clearTimeout(this.#retry);
    if (this.#closed || this.ended.peek() !== null) return;
    const params = { path: { reportId: this.reportId } };
    try {
      const admitted = await dataOf(api.POST("/v1/reports/{reportId}/collaboration/bootstrap", { params }));
      this.#wait = FIRST_RETRY_MS;
      if (!this.#closed) this.#connect(admitted);
    } catch (thrown) {
      const isFinal = thrown instanceof ProblemError && thrown.status < 500 && thrown.status !== 429;
      if (isFinal) this.error.value = thrown;
      else {
        this.connection.value = "lost";
        this.#retry = setTimeout(() => void this.#enter(), this.#wait);
        this.#wait = Math.min(this.#wait * 2, MAX_RETRY_MS);
      }
    }
  }

  /** Gives its place to a room without the edits that were rejected: a shared document cannot take an edit back. */
  #renew(): void {
    const next = new Room(this.reportId);
    next.refusal.value = this.refusal.peek();
    Room.#rooms.set(this.reportId, next);
    this.unsaved.value = false;
    this.renewed.value = next;
    this.#close();
  }

  #connect(admitted: ReportCollaboration): void {
    if (admitted.readOnly && this.#isRefused) {
      this.#renew();
      return;
    }
    batch(() => {
      this.bodyPath = admitted.bodyFieldPath;
      this.readOnly.value = admitted.readOnly;
      this.user.value = admitted.user;
    });
    const params = { token: admitted.token };
    if (this.#provider !== null) {
      this.#provider.params = params;
      this.#provider.connect();
      return;
    }
    // The page's policy allows this origin alone, by whichever of its names the person came.
    const { pathname } = new URL(admitted.serverUrl);
    const server = `${location.origin.replace(/^http/, "ws")}${pathname}`;
    const provider = new WebsocketProvider(server, admitted.roomName, this.doc, {
      params,
      // Two tabs of one browser can belong to two people, so all edits go through the room.
      disableBc: true,
    });
    this.#provider = provider;
    provider.awareness.setLocalStateField("user", admitted.user);
    provider.messageHandlers[REFUSAL_MESSAGE] = (_, decoder) => {
      decoding.readVarUint(decoder);
      this.refusal.value = decoding.readVarString(decoder);
      this.#isRefused = true;
      // The person may have lost Write.
      void this.#enter();
    };
    provider.on("sync", (isSynced: boolean) => {
      if (!isSynced) return;
      batch(() => {
        this.connection.value = "live";
        this.#findBody();
        this.changes.value++;
      });
    });
    provider.on("status", ({ status }: { status: string }) => {
      if (status === "disconnected" && this.ended.peek() === null) this.connection.value = "lost";
    });
    provider.on("closed", ({ code }: { code: number }) => {
      if (code === TOKEN_ENDED) void this.#enter();
      else this.ended.value = code;
    });
    provider.awareness.on("change", () => this.#findPeople());
    this.#findPeople();
  }

  #findPeople(): void {
    const states = this.awareness?.getStates() ?? new Map();
    this.people.value = [...states].flatMap(([clientId, state]) =>
      isPerson(state.user) ? [{ clientId, id: state.user.id, name: state.user.name, color: state.user.color }] : [],
    );
  }

  #findBody(): void {
    const found = this.bodyPath?.split(".").reduce<unknown>((at, segment) => {
      if (at instanceof Y.Map) return at.get(segment);
      return at instanceof Y.Array ? at.get(Number(segment)) : undefined;
    }, this.draft);
    this.body.value = found instanceof Y.Text ? found : null;
  }
}
