import type { CredentialRef } from "../../access";
import type { Frame, ProtocolName } from "../protocol";
import { type Attachment, attachmentSchema, type Connection } from "./connection";

/** A hibernating WebSocket: its state is in its attachment, so that it outlives the object's memory. */
export class SocketConnection implements Connection {
  readonly #attachment: Attachment;

  constructor(private readonly socket: WebSocket) {
    this.#attachment = attachmentSchema.parse(socket.deserializeAttachment());
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
    this.socket.serializeAttachment(this.#attachment);
  }

  expireAt(expiresAt: number | null): void {
    if (expiresAt === this.#attachment.credential.expiresAt) return;
    this.#attachment.credential.expiresAt = expiresAt;
    this.socket.serializeAttachment(this.#attachment);
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
}
