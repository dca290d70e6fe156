import { exports } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { readVarString, readVarUint } from "lib0/decoding";
import { onTestFinished } from "vitest";
import { WebsocketProvider } from "y-websocket";
import * as Y from "yjs";
import { z } from "zod";
import { bootstrapSchema } from "../../src/reports/room/bootstrap";
import { reports } from "../../src/reports/tables";
import { expectJson } from "./call";
import { mintLocation, mintOrganization, type Person } from "./factories";
import { mintReport } from "./reports";
import { testDatabase } from "./statements";

/** An organization with one report. */
export interface ReportSite {
  organizationId: string;
  owner: Person;
  reportId: string;
}

export async function newReportSite(
  contentJson: Record<string, unknown> = { body: "Hello", items: [1, 2] },
): Promise<ReportSite> {
  const { id: organizationId, owner } = await mintOrganization();
  const location = await mintLocation({ organizationId });
  return { organizationId, owner, reportId: await mintReport({ organizationId }, location, { contentJson }) };
}

/** The report's row as it is now. */
export async function reportRow(reportId: string) {
  const [row] = await testDatabase().select().from(reports).where(eq(reports.id, reportId));
  if (row === undefined) throw new Error("no report");
  return row;
}

/** A WebSocket with the browser API, to the Worker under test. */
class WorkerSocket {
  binaryType = "arraybuffer";
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: ArrayBuffer }) => void) | null = null;
  onclose: ((event: { code: number; reason: string }) => void) | null = null;
  onerror: ((event: unknown) => void) | null = null;
  readonly #socket: Promise<WebSocket>;

  constructor(url: string) {
    this.#socket = this.#connect(url);
  }

  async #connect(url: string): Promise<WebSocket> {
    const response = await exports.default.fetch(url.replace(/^ws/, "http"), { headers: { upgrade: "websocket" } });
    const socket = response.webSocket;
    if (socket === null) throw new Error(`no socket: ${response.status}`);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("message", ({ data }) => this.onmessage?.({ data: data as ArrayBuffer }));
    socket.addEventListener("close", ({ code, reason }) => this.onclose?.({ code, reason }));
    socket.accept();
    this.onopen?.();
    return socket;
  }

  send(data: Uint8Array): void {
    void this.#socket.then((socket) => socket.send(data));
  }

  close(code = 1000): void {
    void this.#socket.then((socket) => socket.close(code));
  }
}

export type Bootstrap = z.infer<typeof bootstrapSchema>;

export const bootstrap = (token: string, reportId: string): Promise<Bootstrap> =>
  expectJson(bootstrapSchema, 200, "POST", `/v1/reports/${reportId}/collaboration/bootstrap`, { token });

/** A participant of a room, with the unmodified provider. */
export interface Participant {
  doc: Y.Doc;
  map: Y.Map<unknown>;
  provider: WebsocketProvider;
  /** Close codes after which the provider did not reconnect. */
  closed: number[];
  /** The changes that the room rejected, with the reasons. */
  told: string[];
}

/** The current shared text of the body. */
export const bodyOf = ({ map }: Participant): Y.Text => z.instanceof(Y.Text).parse(map.get("body"));

/** The type of the message about a rejected change. */
const MESSAGE_AUTH = 2;

/** Connects to a room. `doc` contains earlier changes. */
export function connect(
  { serverUrl, roomName, sharedMap }: Pick<Bootstrap, "serverUrl" | "roomName" | "sharedMap">,
  token: string,
  doc = new Y.Doc(),
): Participant {
  const provider = new WebsocketProvider(serverUrl, roomName, doc, {
    params: { token },
    disableBc: true,
    WebSocketPolyfill: WorkerSocket as never,
  });
  const closed: number[] = [];
  provider.on("closed", ({ code }) => closed.push(code));
  const told: string[] = [];
  provider.messageHandlers[MESSAGE_AUTH] = (_, decoder) => {
    readVarUint(decoder);
    told.push(readVarString(decoder));
  };
  onTestFinished(() => provider.destroy());
  return { doc, map: doc.getMap(sharedMap), provider, closed, told };
}

/** Waits until the participant is admitted and synchronized. */
export async function join(token: string, reportId: string, doc?: Y.Doc): Promise<Participant> {
  const admitted = await bootstrap(token, reportId);
  const participant = connect(admitted, admitted.token, doc);
  await synced(participant);
  return participant;
}

export const synced = ({ provider }: Participant): Promise<void> =>
  new Promise((resolve) => {
    if (provider.synced) resolve();
    else provider.once("sync", () => resolve());
  });
