import type { Settings } from "../settings";
import { SECOND } from "../time";
import { type AddressFault, checkAddress } from "./addresses";
import { judgeName } from "./names";

/** Longest wait for a connection, the answer and the beginning of its body. */
export const OUTSIDE_TIMEOUT_MS = 10 * SECOND;
/** Bytes of the body of an answer that are read. */
export const MAX_OUTSIDE_ANSWER_BYTES = 4 * 1024;

/** What became of a request to an address outside of the service. */
export type OutsideResult =
  | {
      kind: "answered";
      status: number;
      /** The first bytes of the body as text. */
      body: string;
      contentType: string | null;
      /** `Retry-After` in milliseconds; null without one. */
      retryAfterMs: number | null;
    }
  /** The address is none that the service calls. Nothing was sent. */
  | { kind: "refused"; reason: AddressFault | "own-address" }
  /** Nothing answered. `resolver`: the resolver did not answer, so nothing was sent. */
  | { kind: "failed"; reason: "timeout" | "connection" | "no-such-name" | "resolver" };

/** Calls addresses that people name. No other code of the service does. */
export interface Outside {
  /** The fault of an address by its text; null if it can be called. The DNS is asked at each request. */
  faultOf(address: string): AddressFault | "own-address" | null;
  /** Sends a POST. Redirects are not followed, and every address of the name must be public. It throws nothing. */
  post(address: string, headers: Readonly<Record<string, string>>, body: string): Promise<OutsideResult>;
}

const LOOPBACK = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:[/?]|$)/;

/** The first bytes of a body. The rest is not read. */
async function readStart(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let size = 0; size < MAX_OUTSIDE_ANSWER_BYTES; ) {
    const { done, value } = await reader.read();
    if (done) break;
    const kept = new Uint8Array(value.subarray(0, MAX_OUTSIDE_ANSWER_BYTES - size));
    chunks.push(kept);
    size += kept.byteLength;
  }
  // The stream may have failed already, and nobody needs its rest.
  await reader.cancel().catch(() => undefined);
  return new TextDecoder().decode(await new Blob(chunks).arrayBuffer());
}

/** `Retry-After` as milliseconds: seconds or a date (RFC 9110, 10.2.3). */
function retryAfterOf(header: string | null): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * SECOND;
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

/** Opens the way to addresses outside of the service. */
export function openOutside({
  PUBLIC_BASE_URL: own,
  WEBHOOK_RESOLVER_URL: resolver,
  WEBHOOK_LOOPBACK: mayCallLoopback,
}: Pick<Settings, "PUBLIC_BASE_URL" | "WEBHOOK_RESOLVER_URL" | "WEBHOOK_LOOPBACK">): Outside {
  const isLoopback = (address: string) => mayCallLoopback && LOOPBACK.test(address);
  const ownHost = new URL(own).host;

  /** The reason why an address is not called now; null if it is. */
  async function refusalOf(address: string): Promise<Exclude<OutsideResult, { kind: "answered" }> | null> {
    if (isLoopback(address)) return null;
    const checked = checkAddress(address);
    if (typeof checked === "string") return { kind: "refused", reason: checked };
    if (checked.url.host === ownHost) return { kind: "refused", reason: "own-address" };
    if (checked.name === null) return null;
    switch (await judgeName(resolver, checked.name)) {
      case "public":
        return null;
      case "not-public":
        return { kind: "refused", reason: "not-public" };
      case "unknown":
        return { kind: "failed", reason: "no-such-name" };
      case "unanswered":
        return { kind: "failed", reason: "resolver" };
    }
  }

  return {
    faultOf(address) {
      if (isLoopback(address)) return null;
      const checked = checkAddress(address);
      if (typeof checked === "string") return checked;
      return checked.url.host === ownHost ? "own-address" : null;
    },
    async post(address, headers, body) {
      const refusal = await refusalOf(address);
      if (refusal !== null) return refusal;
      const signal = AbortSignal.timeout(OUTSIDE_TIMEOUT_MS);
      try {
        const response = await fetch(address, { method: "POST", headers, body, redirect: "manual", signal });
        return {
          kind: "answered",
          status: response.status,
          body: await readStart(response.body),
          contentType: response.headers.get("content-type")?.slice(0, 100) ?? null,
          retryAfterMs: retryAfterOf(response.headers.get("retry-after")),
        };
      } catch {
        return { kind: "failed", reason: signal.aborted ? "timeout" : "connection" };
      }
    },
  };
}
