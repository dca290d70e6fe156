/** The external issuer of the tests. It runs in Node and answers over HTTP. */
const answers = new Map<string, string>();
const reads = new Map<string, number>();

export const ISSUER_HOST = "issuer.test";

/** The issuers in the tests' settings. Each has its own key set. */
export const ISSUER_NAMES = [
  "main",
  "second",
  "partner",
  "rotating",
  "symmetric",
  "down",
  "garbled",
  "shapeless",
  "huge",
  "counted",
] as const;
export const ISSUER_AUDIENCE = "workspace-tests";
export const issuerUrl = (name: string): string => `https://${ISSUER_HOST}/${name}`;

export const testIssuers = ISSUER_NAMES.map((name) => ({
  issuer: issuerUrl(name),
  audience: ISSUER_AUDIENCE,
  jwksUrl: `${issuerUrl(name)}/jwks`,
  ...(name === "partner" && { domains: ["Partner.test", "other-partner.test"] }),
}));

/**
 * The issuer stores the body of a PUT by path, adds a key by a POST, answers GET with what it stores, and counts the requests.
 */
export async function issuerService(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (request.method === "PUT") {
    answers.set(pathname, await request.text());
    return new Response(null, { status: 204 });
  }
  if (request.method === "POST") {
    const key: unknown = await request.json();
    const { keys } = JSON.parse(answers.get(pathname) ?? '{"keys":[]}') as { keys: unknown[] };
    answers.set(pathname, JSON.stringify({ keys: [...keys, key] }));
    return new Response(null, { status: 204 });
  }
  if (pathname.endsWith("/reads")) return Response.json(reads.get(pathname.replace(/reads$/, "jwks")) ?? 0);
  reads.set(pathname, (reads.get(pathname) ?? 0) + 1);
  const body = answers.get(pathname);
  return body === undefined ? new Response("down", { status: 503 }) : new Response(body);
}
