import type { Context as HonoContext } from "hono";
import { Hono } from "hono";
import { credentialOf, type Presented } from "../access";
import type { AppEnv } from "../platform/context";
import { sameSecret } from "../platform/crypto/bytes";
import { type CrossOriginRules, crossOrigin } from "../platform/http/middleware";
import { noteCaller } from "../platform/log";
import { reach } from "../platform/outages";
import { type Arrival, CONNECTION_HEADER } from "./connection";
import {
  type ConnectionToken,
  digestOf,
  newConnectionId,
  readConnectionToken,
  writeConnectionToken,
} from "./connection-token";
import { MAX_NEGOTIATION_AGE_MS } from "./limits";
import { shardOf } from "./live";
import { plain, unauthorized, unknownConnection } from "./shard";

export { changesRoutes } from "./changes/routes";

type HubContext = HonoContext<AppEnv>;

const TRANSPORTS = [
  { transport: "WebSockets", transferFormats: ["Text", "Binary"] },
  { transport: "ServerSentEvents", transferFormats: ["Text"] },
  { transport: "LongPolling", transferFormats: ["Text", "Binary"] },
];

/** The cross-origin rules that SignalR's clients need. */
const RULES: CrossOriginRules = {
  methods: "GET, POST, DELETE",
  requestHeaders: "authorization, content-type, x-requested-with, x-signalr-user-agent",
  credentials: true,
};

/** The bearer of a request, from the Authorization header or `access_token`. */
const bearerOf = (c: HubContext): string | null =>
  /^Bearer +(\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1] ?? c.req.query("access_token") ?? null;

/**
 * The credential of a request; null when there is none, or an unknown one. If it was not looked up here, the shard
 * looks it up, in one query with others that arrive at the same time.
 */
async function presentedTo(c: HubContext): Promise<Presented | null> {
  const bearer = bearerOf(c);
  const presented = bearer === null ? null : await credentialOf(c.get("context"), bearer);
  if (presented !== null) noteCaller(presented.credential.kind);
  return presented;
}

export const hubRoutes = new Hono<AppEnv>();

hubRoutes.use("/sync-hub/*", crossOrigin(RULES));

hubRoutes.all("/sync-hub/negotiate", async (c) => {
  const [presented, bearer] = [await presentedTo(c), bearerOf(c)];
  if (presented === null || bearer === null) return unauthorized();
  const { credential, isLive } = presented;
  const shard = shardOf(credential.userId);
  if (!isLive && !(await reach("durable object", () => c.env.HUB_SHARD.getByName(shard).isLive(credential))))
    return unauthorized();
  if (c.req.method !== "POST") return plain("", 405, { allow: "POST" });
  const asked = c.req.query("negotiateVersion") ?? "0";
  if (!/^-?\d{1,9}$/.test(asked))
    return Response.json({ error: "The client requested a non-integer protocol version." });
  const negotiateVersion = Math.max(0, Math.min(1, Number(asked)));
  const connectionId = newConnectionId();
  const { now, settings } = c.get("context");
  const connectionToken = await writeConnectionToken(settings.OBJECT_SIGNING_SECRET, {
    shard,
    connectionId,
    negotiatedAt: now,
    credential,
    bearerDigest: await digestOf(bearer),
    version: negotiateVersion,
  });
  const ids = negotiateVersion === 0 ? { connectionId: connectionToken } : { connectionId, connectionToken };
  return Response.json(
    { negotiateVersion, ...ids, availableTransports: TRANSPORTS },
    { headers: { "cache-control": "no-store" } },
  );
});

/** A request to a connection, and its shard. */
interface Sent {
  shard: string;
  arrival: Arrival;
}

/**
 * Whether the same bearer was verified when the connection was negotiated, a moment ago. Then only the shard looks it
 * up, together with other tokens that arrive. Users of external issuers are looked up here each time.
 */
async function wasVerifiedRecently(token: ConnectionToken, bearer: string, now: number): Promise<boolean> {
  const { kind } = token.credential;
  return (
    (kind === "session" || kind === "pat") &&
    token.negotiatedAt > now - MAX_NEGOTIATION_AGE_MS &&
    sameSecret(token.bearerDigest, await digestOf(bearer))
  );
}

/** A request to a negotiated connection. Every client that negotiates with version 1 sends pings by itself. */
const arrivalBy = (token: ConnectionToken, credential: Arrival["credential"], isLive: boolean): Arrival => {
  const { connectionId: id, negotiatedAt, version } = token;
  return { id, credential, endsAt: credential.expiresAt, pings: version > 0, negotiatedAt, isLive };
};

/** Finds the connection and the credential of a request; or returns the answer that refuses it. */
async function sentBy(c: HubContext): Promise<Sent | Response> {
  const bearer = bearerOf(c);
  const { settings, now } = c.get("context");
  const given = c.req.query("id");
  const token = given === undefined ? null : await readConnectionToken(settings.OBJECT_SIGNING_SECRET, given);
  if (bearer !== null && token !== null && (await wasVerifiedRecently(token, bearer, now))) {
    noteCaller(token.credential.kind);
    return { shard: token.shard, arrival: arrivalBy(token, token.credential, false) };
  }
  const presented = await presentedTo(c);
  if (presented === null) return unauthorized();
  const { credential, isLive } = presented;
  if (given === undefined) {
    const isSocket = c.req.header("upgrade")?.toLowerCase() === "websocket";
    if (!isSocket) return plain("Connection ID required", 400);
    const { userId, expiresAt: endsAt } = credential;
    const arrival = { id: newConnectionId(), credential, endsAt, pings: false, negotiatedAt: null, isLive };
    return { shard: shardOf(userId), arrival };
  }
  if (token?.credential.userId !== credential.userId) return unknownConnection();
  return { shard: token.shard, arrival: arrivalBy(token, credential, isLive) };
}

/** Clients that are given an address with a slash at its end keep it. */
hubRoutes.on("ALL", ["/sync-hub", "/sync-hub/"], async (c) => {
  const sent = await sentBy(c);
  if (sent instanceof Response) return sent;
  const headers = new Headers(c.req.raw.headers);
  headers.delete("authorization");
  headers.set(CONNECTION_HEADER, JSON.stringify(sent.arrival));
  const shard = c.env.HUB_SHARD.getByName(sent.shard);
  const {
    status,
    webSocket,
    body,
    headers: answered,
  } = await reach("durable object", () => shard.fetch(new Request(c.req.raw, { headers })));
  // Only the headers of a copy can be changed; the same holds for a WebSocket.
  return new Response(body, { status, headers: answered, ...(webSocket !== null && { webSocket }) });
});
