import { z } from "zod";
import { call, expectJson } from "./call";

/* The single requests of a hub client, for tests of the hub's answers. */

export const END = "\x1e";
export const HANDSHAKE = `{"protocol":"json","version":1}${END}`;

export const joinOf = (locationId: string): string =>
  JSON.stringify({ type: 1, invocationId: "1", target: "JoinLocation", arguments: [locationId] }) + END;

export const negotiated = z.strictObject({
  negotiateVersion: z.int(),
  connectionId: z.string(),
  connectionToken: z.string().optional(),
  availableTransports: z.array(z.strictObject({ transport: z.string(), transferFormats: z.array(z.string()) })),
});

/** The token of a negotiated connection. */
export async function negotiate(token: string): Promise<string> {
  const answer = await expectJson(negotiated, 200, "POST", "/sync-hub/negotiate?negotiateVersion=1", { token });
  return answer.connectionToken ?? "";
}

export const events = (token: string, id: string): Promise<Response> =>
  call("GET", `/sync-hub?id=${id}`, { token, headers: { accept: "text/event-stream" } });
export const poll = (token: string, id: string): Promise<Response> => call("GET", `/sync-hub?id=${id}`, { token });
export const post = (token: string, id: string, body: string): Promise<Response> =>
  call("POST", `/sync-hub?id=${id}`, { token, body, headers: { "content-type": "text/plain" } });
export const socketAt = (token: string, id: string): Promise<Response> =>
  call("GET", `/sync-hub?id=${id}`, { token, headers: { upgrade: "websocket" } });

/** Closes the socket of an answer, if it has one. */
export function closeSocket({ webSocket }: Response): void {
  webSocket?.accept();
  webSocket?.close(1000);
}

export const readerOf = ({ body }: Response): ReadableStreamDefaultReader<Uint8Array> =>
  (body as ReadableStream<Uint8Array>).getReader();

/** Reads a stream of server-sent events until it contains `text`. */
export async function readUntil(reader: ReadableStreamDefaultReader<Uint8Array>, text: string): Promise<string> {
  const decoder = new TextDecoder();
  let got = "";
  while (!got.includes(text)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`the stream ended after ${JSON.stringify(got)}`);
    got += decoder.decode(value, { stream: true });
  }
  return got;
}
