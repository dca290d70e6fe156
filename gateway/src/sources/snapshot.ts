import { isWebPage } from "../jpeg/check";
import { type Answer, exchange, NetworkFailure } from "../service/transport";
import type { SourceSettings } from "../settings";
import { answerChallenge, challengeOf } from "./digest";
import { MAX_SOURCE_BYTES, type Source, SourceFailure } from "./source";

const [CR, LF] = [0x0d, 0x0a];

/**
 * Finds the first part of a multipart stream's body as it arrives. Cameras that can only stream provide an image in this
 * way.
 * @param contentType of the whole answer
 */
function partReader(contentType: string) {
  const boundary = /boundary="?([^";,\s]+)"?/i.exec(contentType)?.[1]?.replace(/^--/, "");
  const mark = Buffer.from(`--${boundary}`);
  /** Where the part begins, its length by its own header, and the place up to which no boundary was found. */
  let [from, length, searched]: [number, number | null, number] = [-1, null, 0];
  /** The end of the part in the bytes so far; null while it has not arrived. */
  const endIn = (body: Buffer): number | null => {
    if (boundary === undefined) return null;
    if (from === -1) {
      const head = body.indexOf("\r\n\r\n");
      if (head === -1) return null;
      from = head + 4;
      searched = from;
      const given = /^content-length:\s*(\d+)\s*$/im.exec(body.toString("latin1", 0, head))?.[1];
      length = given === undefined || Number(given) === 0 ? null : Number(given);
    }
    if (length !== null) {
      if (body.length < from + length) return null;
      // Some cameras give a wrong length. An image ends with FF D9.
      if (body[from + length - 2] === 0xff && body[from + length - 1] === 0xd9) return from + length;
      length = null;
    }
    const found = body.indexOf(mark, searched);
    searched = Math.max(from, body.length - mark.length + 1);
    if (found === -1) return null;
    // The line break before a boundary belongs to the boundary (RFC 2046, 5.1.1).
    if (body[found - 1] !== LF) return found;
    return Math.max(from, body[found - 2] === CR ? found - 2 : found - 1);
  };
  return {
    hasPart: (body: Buffer): boolean => endIn(body) !== null,
    /** The part, or all that has arrived of it. */
    partOf(body: Buffer): Buffer {
      searched = Math.max(0, from);
      const end = endIn(body);
      return from === -1 ? body : body.subarray(from, end ?? body.length);
    },
  };
}

const FAILURES = {
  "no-answer": "camera-unreachable",
  timeout: "camera-timeout",
  "too-long": "frame-too-large",
} as const;

/** An image from an address of the camera. Each request uses a new connection and no cache. */
export function openSnapshot(settings: Extract<SourceSettings, { type: "snapshot" }>): Source {
  const url = new URL(settings.url);
  const { username = decodeURIComponent(url.username), password = decodeURIComponent(url.password) } = settings;
  url.username = "";
  url.password = "";
  /** The camera's answer. If the answer never ends, its first image has arrived. */
  const get = async (signal: AbortSignal, authorization?: string): Promise<Answer> => {
    const headers = {
      accept: "image/jpeg, image/*;q=0.5",
      "cache-control": "no-cache, no-store",
      pragma: "no-cache",
      ...(authorization !== undefined && { authorization }),
    };
    const limit = settings.timeoutSeconds * 1_000;
    let reader: ReturnType<typeof partReader> | null = null;
    const readerOf = ({ headers: given }: Pick<Answer, "headers">) => {
      const type = given["content-type"] ?? "";
      if (reader === null && /^multipart\//i.test(type)) reader = partReader(type);
      return reader;
    };
    try {
      const answer = await exchange(url, {
        method: "GET",
        headers,
        idleMs: limit,
        totalMs: limit,
        maxBytes: MAX_SOURCE_BYTES,
        endsAt: (read) => readerOf(read)?.hasPart(read.body) ?? false,
        signal,
      });
      return { ...answer, body: readerOf(answer)?.partOf(answer.body) ?? answer.body };
    } catch (thrown) {
      if (!(thrown instanceof NetworkFailure) || signal.aborted) throw thrown;
      throw new SourceFailure(FAILURES[thrown.kind], thrown.message);
    }
  };
  const authorize = (challenge: string): string | null => {
    if (username === "") return null;
    const digest = challengeOf(challenge);
    if (digest !== null)
      return answerChallenge(digest, { username, password, method: "GET", uri: `${url.pathname}${url.search}` });
    if (!/\bbasic\b/i.test(challenge)) return null;
    return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
  };
  return {
    pace: "interval",
    async *take(_settings, signal) {
      let answer = await get(signal);
      if (answer.status === 401) {
        const authorization = authorize(answer.headers["www-authenticate"] ?? "");
        if (authorization !== null) answer = await get(signal, authorization);
      }
      if (answer.status === 401 || answer.status === 403)
        throw new SourceFailure(
          "camera-unauthorized",
          `The camera answers ${answer.status}. Check username and password.`,
        );
      if (answer.status >= 300 && answer.status < 400)
        throw new SourceFailure(
          "camera-failed",
          `The camera answers ${answer.status} and names the address ${placeOf(answer)}. The gateway follows no redirect.`,
        );
      if (answer.status !== 200) throw new SourceFailure("camera-failed", `The camera answers ${answer.status}.`);
      if (/^(text\/html|application\/xhtml)/i.test(answer.headers["content-type"] ?? "") || isWebPage(answer.body))
        throw new SourceFailure(
          "camera-unauthorized",
          "The camera answers with a web page, such as its sign-in page, and not with an image. Check username and password, and that the address returns a snapshot.",
        );
      yield { bytes: answer.body, ageMs: 0 };
    },
  };
}

/** The address of a redirect, without credentials and without its query. */
function placeOf({ headers }: Answer): string {
  try {
    const { origin, pathname } = new URL(headers.location ?? "", "http://camera.invalid");
    return origin === "http://camera.invalid" ? pathname : `${origin}${pathname}`;
  } catch {
    return "of another page";
  }
}
