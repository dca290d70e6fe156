import { type Answer, exchange, NetworkFailure } from "../service/transport";
import type { SourceSettings } from "../settings";
import { answerChallenge, challengeOf } from "./digest";
import { MAX_SOURCE_BYTES, type Source, SourceFailure } from "./source";

/** The first part of a multipart stream's body. Cameras that can only stream provide an image in this way. */
function firstPart(body: Buffer, contentType: string): Buffer {
  const boundary = /boundary="?([^";,\s]+)"?/i.exec(contentType)?.[1]?.replace(/^--/, "");
  const head = body.indexOf("\r\n\r\n");
  if (boundary === undefined || head === -1) return body;
  const end = body.indexOf(`--${boundary}`, head + 4);
  return body.subarray(head + 4, end === -1 ? body.length : end);
}

/** An image from an address of the camera. Each request uses a new connection and no cache. */
export function openSnapshot(settings: Extract<SourceSettings, { type: "snapshot" }>): Source {
  const url = new URL(settings.url);
  const { username = decodeURIComponent(url.username), password = decodeURIComponent(url.password) } = settings;
  url.username = "";
  url.password = "";
  const get = async (signal: AbortSignal, authorization?: string): Promise<Answer> => {
    const headers = {
      accept: "image/jpeg, image/*;q=0.5",
      "cache-control": "no-cache, no-store",
      pragma: "no-cache",
      ...(authorization !== undefined && { authorization }),
    };
    const limit = settings.timeoutSeconds * 1_000;
    try {
      return await exchange(url, {
        method: "GET",
        headers,
        idleMs: limit,
        totalMs: limit,
        maxBytes: MAX_SOURCE_BYTES,
        endsAt: afterOnePart,
        signal,
      });
    } catch (thrown) {
      if (!(thrown instanceof NetworkFailure) || signal.aborted) throw thrown;
      throw new SourceFailure("camera-unreachable", thrown.message);
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
      if (answer.status !== 200) throw new SourceFailure("camera-failed", `The camera answers ${answer.status}.`);
      const type = answer.headers["content-type"] ?? "";
      const bytes = /^multipart\//i.test(type) ? firstPart(answer.body, type) : answer.body;
      yield { bytes, ageMs: 0 };
    },
  };
}

/** Whether enough of an endless answer has arrived: its second part begins. */
function afterOnePart({ headers, body }: { headers: Answer["headers"]; body: Buffer }): boolean {
  const type = headers["content-type"] ?? "";
  if (!/^multipart\//i.test(type)) return false;
  const boundary = /boundary="?([^";,\s]+)"?/i.exec(type)?.[1]?.replace(/^--/, "");
  if (boundary === undefined) return false;
  const head = body.indexOf("\r\n\r\n");
  return head !== -1 && body.indexOf(`--${boundary}`, head + 4) !== -1;
}
