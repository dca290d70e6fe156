import type { CredentialRef } from "../../access";
import type { Frame, ProtocolName } from "../protocol";
import { type Attachment, attachmentSchema, type Connection, type NewConnection } from "./connection";

/** A hibernating WebSocket: its state is in its attachment, so that it outlives the object's memory. */
export class SocketConnection implements Connection {
  readonly #attachment: Attachment;

  private constructor(
    private readonly socket: WebSocket,
    attachment: Attachment,
  ) {
    this.#attachment = attachment;
  }

  /** Begins on a socket that was just accepted. */
  static begin(socket: WebSocket, { id, credential }: NewConnection): SocketConnection {
    const connection = new SocketConnection(socket, { id, credential, protocol: null });
    connection.#keep();
    return connection;
  }

  /** Goes on with a socket that outlived the object's memory. */
  static restore(socket: WebSocket): SocketConnection {
    return new SocketConnection(socket, attachmentSchema.parse(socket.deserializeAttachment()));
  }

  get id(): string {
    return this.#attachment.id;
  }

  get credential(): CredentialRef {
    return this.#attachment.credential;
  }

  get protocol(): ProtocolName | null {
    return this.#attachment.protocol;
  }

  chooseProtocol(protocol: ProtocolName): void {
    this.#attachment.protocol = protocol;
    this.#keep();
  }

  expireAt(expiresAt: number | null): void {
    if (expiresAt === this.#attachment.credential.expiresAt) return;
    this.#attachment.credential.expiresAt = expiresAt;
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
      // Closed by the other side already.
    }
  }

  #keep(): void {
    this.socket.serializeAttachment(this.#attachment);
  }
}
