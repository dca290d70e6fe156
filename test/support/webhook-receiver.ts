import type { Received, ReceiverBehaviour, ResolverRecords } from "./webhook-calls.ts";

/* The receivers of webhooks and the resolver of the tests. They run in Node and answer over HTTP. */

export const RESOLVER_HOST = "resolver.test";
export const RESOLVER_URL = `https://${RESOLVER_HOST}/dns-query`;
/** The end of the names of all receivers. The resolver knows them with a public address. */
export const RECEIVERS = ".hooks-of-tests.dev";
const PUBLIC_ADDRESS = "93.184.215.14";
const NXDOMAIN = 3;

const records = new Map<string, ResolverRecords>();
const behaviours = new Map<string, ReceiverBehaviour>();
const received = new Map<string, Received[]>();

/** Stores the records of a PUT for a name, and answers questions like a resolver with JSON. */
export async function resolverService(request: Request): Promise<Response> {
  const { searchParams } = new URL(request.url);
  const name = searchParams.get("name") ?? "";
  if (request.method === "PUT") {
    records.set(name, JSON.parse(await request.text()));
    return new Response(null, { status: 204 });
  }
  const isOfTests = name.endsWith(RECEIVERS);
  const known = records.get(name) ?? (isOfTests ? { A: [PUBLIC_ADDRESS], AAAA: [] } : { Status: NXDOMAIN });
  if (known.http !== undefined) return new Response("down", { status: known.http });
  if (known.raw !== undefined) return new Response(known.raw);
  const isSix = searchParams.get("type") === "AAAA";
  const addresses = (isSix ? known.AAAA : known.A) ?? [];
  const answers = addresses.map((data) => ({ name, type: isSix ? 28 : 1, TTL: 1, data }));
  const alias = known.alias === undefined ? [] : [{ name, type: 5, TTL: 1, data: known.alias }];
  return Response.json({ Status: known.Status ?? 0, Answer: [...alias, ...answers] });
}

/** Records a POST, answers a GET with what was recorded, and takes the behaviour of a PUT. */
export async function webhookReceiver(request: Request): Promise<Response> {
  const { hostname } = new URL(request.url);
  if (request.method === "PUT") {
    behaviours.set(hostname, JSON.parse(await request.text()));
    return new Response(null, { status: 204 });
  }
  if (request.method === "GET") return Response.json(received.get(hostname) ?? []);
  const own = received.get(hostname) ?? [];
  own.push({ at: Date.now(), headers: Object.fromEntries(request.headers), body: await request.text() });
  received.set(hostname, own);
  const { status = 204, body = null, headers = {}, delayMs = 0 } = behaviours.get(hostname) ?? {};
  // It does not keep the process alive at the end of the tests.
  await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
  return new Response(body, { status, headers });
}
