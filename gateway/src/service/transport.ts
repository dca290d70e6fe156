import { createReadStream } from "node:fs";
import { type IncomingHttpHeaders, request as plainRequest, type RequestOptions } from "node:http";
import { request as tlsRequest } from "node:https";
import { pipeline } from "node:stream";
import { Collector } from "../collector";
import { isProtected } from "../settings";

/** Maximum size of an answer of the service. */
const MAX_ANSWER_BYTES = 256 * 1024;

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export interface Call {
  method: string;
  headers: Record<string, string>;
  body?: Buffer | { file: string; size: number } | undefined;
  /** Maximum time without data, and maximum time of a call, milliseconds. */
  idleMs: number;
  totalMs: number;
  maxBytes?: number;
  /** Whether enough of an endless answer has arrived. */
  endsAt?: (read: { headers: IncomingHttpHeaders; body: Buffer }) => boolean;
  signal: AbortSignal;
}

/** A failure of the network: no answer arrived, or it was cut off. */
export class NetworkFailure extends Error {
  override readonly name = "NetworkFailure";
  constructor(
    message: string,
    readonly kind: "no-answer" | "timeout" | "too-long",
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Sends a request and reads its answer. It follows no redirect, and always checks certificates. */
export function exchange(url: URL, call: Call): Promise<Answer> {
  const { method, headers, body, idleMs, totalMs, maxBytes = MAX_ANSWER_BYTES, endsAt, signal } = call;
  const size = body === undefined ? (method === "GET" ? null : 0) : "file" in body ? body.size : body.length;
  const options: RequestOptions & { rejectUnauthorized: true } = {
    method,
    headers: { ...headers, connection: "close", ...(size !== null && { "content-length": String(size) }) },
    agent: false,
    rejectUnauthorized: true,
  };
  return new Promise((done, fail) => {
    let kind: NetworkFailure["kind"] = "no-answer";
    const failed = (cause: Error) => fail(new NetworkFailure(cause.message, kind, { cause }));
    /** Ends the call for its own reason. */
    const give = (up: { destroy: (why: Error) => unknown }, why: NetworkFailure["kind"], words: string) => {
      kind = why;
      up.destroy(new Error(words));
    };
    const request = url.protocol === "https:" ? tlsRequest(url.href, options) : plainRequest(url.href, options);
    // Listeners are removed with the request, because the signal lasts as long as the gateway.
    const stop = () => void request.destroy(new Error("stopped"));
    const timer = setTimeout(() => give(request, "timeout", `no end after ${totalMs / 1_000} s`), totalMs);
    signal.addEventListener("abort", stop, { once: true });
    request.on("close", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    });
    if (signal.aborted) stop();
    request.on("error", failed);
    request.setTimeout(idleMs, () => give(request, "timeout", `nothing moved for ${idleMs / 1_000} s`));
    request.on("response", (response) => {
      const read = new Collector(maxBytes);
      const finish = () => {
        done({ status: response.statusCode ?? 0, headers: response.headers, body: read.bytes });
        response.destroy();
      };
      response.on("data", (part: Buffer) => {
        if (!read.add(part)) give(response, "too-long", `the answer is longer than ${maxBytes} bytes`);
        else if (endsAt?.({ headers: response.headers, body: read.bytes })) finish();
      });
      response.on("error", failed);
      response.on("close", () => {
        if (response.complete) finish();
        else failed(new Error("the answer was cut off"));
      });
    });
    // An error of the file ends the request.
    if (body !== undefined && "file" in body) pipeline(createReadStream(body.file), request, () => undefined);
    else request.end(body);
  });
}

/** The same for a service on the internet. @throws NetworkFailure for an address that is not protected. */
export async function exchangeProtected(url: URL, call: Call): Promise<Answer> {
  if (!isProtected(url)) throw new NetworkFailure(`${url.origin} is not protected by TLS`, "no-answer");
  return exchange(url, call);
}
