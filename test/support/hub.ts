import { exports } from "cloudflare:workers";
import { type HubMessage, type ProtocolName, parseMessages, writeMessage } from "../../src/hub/protocol";
import type { WorkspaceEvent } from "../../src/platform/events";
import { BASE_URL } from "./call";
import { contextOf, runThrough, systemContext } from "./jobs";
import { PATIENCE } from "./patience";

/*
 * A small client of the hub's protocol, for tests in the same runtime. It records every message in order. test/system tests
 * the official clients.
 */

export type Invocation = HubMessage & { type: "invocation" };

export class HubClient {
  readonly received: HubMessage[] = [];
  closed: { code: number } | null = null;
  #invocations = 0;
  /** Checks of waiting callers. Each new message runs them again. */
  readonly #looks = new Set<() => void>();

  private constructor(
    readonly socket: WebSocket,
    readonly protocol: ProtocolName,
  ) {}

  /** Connects and completes the handshake. */
  static async connect(token: string, protocol: ProtocolName = "json"): Promise<HubClient> {
    const response = await openSocket(token);
    if (response.webSocket === null) throw new Error(`the hub answered ${response.status}`);
    const client = new HubClient(response.webSocket, protocol);
    let shaken = false;
    const look = () => {
      for (const each of client.#looks) each();
    };
    client.socket.addEventListener("message", ({ data }) => {
      if (shaken)
        client.received.push(...parseMessages(protocol, typeof data === "string" ? data : new Uint8Array(data)));
      else shaken = true;
      look();
    });
    client.socket.addEventListener("close", ({ code }) => {
      client.closed = { code };
      look();
    });
    client.socket.binaryType = "arraybuffer";
    client.socket.accept();
    client.socket.send(`{"protocol":"${protocol}","version":1}\x1e`);
    await client.#until(() => shaken || undefined);
    return client;
  }

  /** Calls a hub method. Resolves to its error, or null. */
  async invoke(target: string, ...args: unknown[]): Promise<string | null> {
    return (await this.ask(target, ...args)).error ?? null;
  }

  /** Calls a hub method. Resolves to its answer. */
  async ask(target: string, ...args: unknown[]): Promise<HubMessage & { type: "completion" }> {
    const invocationId = String(++this.#invocations);
    this.socket.send(writeMessage(this.protocol, { type: "invocation", invocationId, target, arguments: args }));
    const answer = await this.expectMessage((m) => m.type === "completion" && m.invocationId === invocationId);
    if (answer.type !== "completion") throw new Error("not a completion");
    return answer;
  }

  join(locationId: string): Promise<string | null> {
    return this.invoke("JoinLocation", locationId);
  }

  events(target?: string): Invocation[] {
    return this.received.filter(
      (m): m is Invocation => m.type === "invocation" && (target === undefined || m.target === target),
    );
  }

  expectMessage(matches: (message: HubMessage) => boolean): Promise<HubMessage> {
    return this.#until(() => this.received.find(matches));
  }

  async expectEvent(target: string, matches: (args: unknown[]) => boolean = () => true): Promise<unknown[]> {
    const found = await this.expectMessage(
      (m) => m.type === "invocation" && m.target === target && matches(m.arguments),
    );
    return found.type === "invocation" ? found.arguments : [];
  }

  async expectClosed(): Promise<void> {
    await this.#until(() => this.closed ?? undefined);
  }

  /** Resolves to the first result of `find` that is not undefined. */
  #until<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(overdue);
        this.#looks.delete(look);
      };
      const giveUp = () => {
        end();
        reject(new Error(`not received; had ${JSON.stringify(this.received)}`));
      };
      const overdue = setTimeout(giveUp, PATIENCE);
      const look = () => {
        const found = find();
        if (found !== undefined) {
          end();
          resolve(found);
        } else if (this.closed !== null) giveUp();
      };
      this.#looks.add(look);
      look();
    });
  }

  close(): void {
    this.socket.close(1000);
  }
}

/** Opens the hub's socket without negotiation, like `skipNegotiation`. */
export const openSocket = (token: string): Promise<Response> =>
  exports.default.fetch(
    new Request(`${BASE_URL}/sync-hub`, { headers: { upgrade: "websocket", authorization: `Bearer ${token}` } }),
  );

/**
 * Announces an event like a feature, and waits until its job has ended.
 * @param at an id of its workspace, where the service has several databases
 */
export async function announceEvent(event: WorkspaceEvent, at?: string): Promise<void> {
  await runThrough("announce", [{ event }], "succeeded", at === undefined ? systemContext() : await contextOf(at));
}
