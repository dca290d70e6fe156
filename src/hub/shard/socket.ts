import type { CredentialRef } from "../../access";
import { MINUTE } from "../../platform/time";
import { type Attachment, attachmentSchema, type Connection, type NewConnection } from "../connection";
import { type Frame, type ProtocolName, RecordReader } from "../protocol";

/** A hibernating WebSocket: its attachment holds its state, which survives the object's memory. */
export class SocketConnection implements Connection {
  readonly #attachment: Attachment;
  readonly incoming = new RecordReader();
  readonly carriesBinary = true;
  readonly hasInherentKeepAlive = false;

  /** `answeredAt` returns when the runtime last answered a ping for the object, milliseconds; null if never. */
  private constructor(
    private readonly socket: WebSocket,
    private readonly answeredAt: () => number | null,
    attachment: Attachment,
  ) {
    this.#attachment = attachment;
  }

  /** Creates the connection of a socket that was just accepted. */
  static begin(socket: WebSocket, answeredAt: () => number | null, begins: NewConnection): SocketConnection {
    const { id, credential, endsAt, pings } = begins;
    const attachment = { id, credential, endsAt, pings, protocol: null, heardAt: Date.now() };
    const connection = new SocketConnection(socket, answeredAt, attachment);
    connection.#keep();
    return connection;
  }

  /** Restores the connection of a socket after hibernation. */
  static restore(socket: WebSocket, answeredAt: () => number | null): SocketConnection {
    return new SocketConnection(socket, answeredAt, attachmentSchema.parse(socket.deserializeAttachment()));
  }

  get id(): string {
    return this.#attachment.id;
  }

  get credential(): CredentialRef {
    return this.#attachment.credential;
  }

  get endsAt(): number | null {
    return this.#attachment.endsAt;
  }

  get protocol(): ProtocolName | null {
    return this.#attachment.protocol;
  }

  get pings(): boolean {
    return this.#attachment.pings || this.answeredAt() !== null;
  }

  get heardAt(): number {
    return Math.max(this.#attachment.heardAt, this.answeredAt() ?? 0);
  }

  heard(now: number, isPing = false): void {
    const isNew = isPing && !this.#attachment.pings;
    if (!isNew && now - this.#attachment.heardAt < MINUTE) return;
    this.#attachment.heardAt = now;
    this.#attachment.pings ||= isPing;
    this.#keep();
  }

  chooseProtocol(protocol: ProtocolName): void {
    this.#attachment.protocol = protocol;
    this.#keep();
  }

  endAt(endsAt: number | null): void {
    if (endsAt === this.#attachment.endsAt) return;
    this.#attachment.endsAt = endsAt;
    this.#keep();
  }

  send(frame: Frame): boolean {
    try {
      this.socket.send(frame);
      return true;
    } catch {
      return false;
    }
  }

  end(code = 1000, reason = ""): void {
    try {
      this.socket.close(code, reason);
    } catch {
      // The other side has already closed it.
    }
  }

  #keep(): void {
    this.socket.serializeAttachment(this.#attachment);
  }
}
