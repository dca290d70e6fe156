import { createHash, randomBytes } from "node:crypto";

/** A camera's challenge in `WWW-Authenticate: Digest` (RFC 7616). */
export interface Challenge {
  realm: string;
  nonce: string;
  opaque: string | undefined;
  algorithm: string;
  hasAuth: boolean;
}

const HASHES: Readonly<Record<string, string>> = { MD5: "md5", "SHA-256": "sha256", "SHA-512-256": "sha512-256" };

/** The strongest Digest challenge of a header that can have several, or null when it contains no known challenge. */
export function challengeOf(header: string): Challenge | null {
  const found = header
    .split(/(?:^|,)\s*(?=(?:Digest|Basic|Bearer)\s)/i)
    .filter((part) => /^\s*digest\s/i.test(part))
    .map((part) => {
      const fields = new Map<string, string>();
      for (const [, name = "", quoted, plain] of part.matchAll(/(\w+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g))
        fields.set(name.toLowerCase(), quoted?.replace(/\\(.)/g, "$1") ?? plain ?? "");
      const algorithm = fields.get("algorithm")?.toUpperCase() ?? "MD5";
      const offered =
        fields
          .get("qop")
          ?.split(",")
          .map((word) => word.trim().toLowerCase()) ?? [];
      const challenge = {
        realm: fields.get("realm") ?? "",
        nonce: fields.get("nonce") ?? "",
        opaque: fields.get("opaque"),
        algorithm,
        hasAuth: offered.includes("auth"),
      };
      return HASHES[algorithm.replace(/-SESS$/, "")] === undefined ? null : challenge;
    })
    .filter((challenge) => challenge !== null);
  return found.sort((a, b) => b.algorithm.length - a.algorithm.length)[0] ?? null;
}

/** The answer to a challenge, for the `Authorization` header. */
export function answerChallenge(
  { realm, nonce, opaque, algorithm, hasAuth }: Challenge,
  { username, password, method, uri }: { username: string; password: string; method: string; uri: string },
  clientNonce = randomBytes(8).toString("hex"),
): string {
  const name = HASHES[algorithm.replace(/-SESS$/, "")] ?? "md5";
  const hash = (text: string) => createHash(name).update(text).digest("hex");
  const user = hash(`${username}:${realm}:${password}`);
  const secret = algorithm.endsWith("-SESS") ? hash(`${user}:${nonce}:${clientNonce}`) : user;
  const request = hash(`${method}:${uri}`);
  const count = "00000001";
  const response = hash(
    hasAuth ? `${secret}:${nonce}:${count}:${clientNonce}:auth:${request}` : `${secret}:${nonce}:${request}`,
  );
  const quoted = (text: string) => `"${text.replace(/["\\]/g, "\\$&")}"`;
  return [
    `Digest username=${quoted(username)}`,
    `realm=${quoted(realm)}`,
    `nonce=${quoted(nonce)}`,
    `uri=${quoted(uri)}`,
    `response="${response}"`,
    `algorithm=${algorithm}`,
    ...(hasAuth || algorithm.endsWith("-SESS") ? [`cnonce="${clientNonce}"`] : []),
    ...(hasAuth ? ["qop=auth", `nc=${count}`] : []),
    ...(opaque === undefined ? [] : [`opaque=${quoted(opaque)}`]),
  ].join(", ");
}
