import type { MiddlewareHandler } from "hono";
import { decodeJwt } from "jose";
import type { CredentialRef } from "../../platform/caller";
import { type Caller, isUser } from "../../platform/caller";
import type { AppEnv, Context } from "../../platform/context";
import { credentialRefOf } from "../permission/credential";
import { authenticateExternal } from "./external";
import { authenticateSession, credentialOfSession } from "./session";
import { authenticateToken, credentialOfToken, TOKEN_PREFIX } from "./token";

/** Longest bearer that is looked at, characters. */
const LONGEST_BEARER = 8_192;

/** Who a JWT says has issued it; null for what is no JWT. It only chooses who verifies it. */
function issuerOf(bearer: string): string | null {
  try {
    return decodeJwt(bearer).iss ?? null;
  } catch {
    return null;
  }
}

/**
 * Who presents this bearer. Never throws for a bad one: the caller is anonymous and says why.
 * @throws DomainError unavailable when an outside issuer's keys cannot be had.
 */
export async function callerOf(context: Context, bearer: string): Promise<Caller> {
  if (bearer.length > LONGEST_BEARER) return { kind: "anonymous", refusal: "malformed" };
  if (bearer.startsWith(`${TOKEN_PREFIX}.`)) return authenticateToken(context, bearer);
  const iss = issuerOf(bearer);
  if (iss === null) return { kind: "anonymous", refusal: "malformed" };
  const { PUBLIC_BASE_URL, OIDC_ISSUERS } = context.settings;
  if (iss === PUBLIC_BASE_URL) return authenticateSession(context, bearer);
  const issuer = OIDC_ISSUERS.find((known) => known.issuer === iss);
  if (issuer !== undefined) return authenticateExternal(context, issuer, bearer);
  return { kind: "anonymous", refusal: "unknown" };
}

/** A credential that was proven, and whether it was also looked up: one that was not may have ended. */
export interface Presented {
  credential: CredentialRef;
  isLive: boolean;
}

/**
 * The credential that this bearer is, for those who ask later, and of many at once, whether it lives and what it may
 * do. Null when it is nobody's. @throws DomainError unavailable when an outside issuer's keys cannot be had.
 */
export async function credentialOf(context: Context, bearer: string): Promise<Presented | null> {
  if (bearer.length > LONGEST_BEARER) return null;
  const presented = (credential: CredentialRef | null, isLive: boolean) => credential && { credential, isLive };
  if (bearer.startsWith(`${TOKEN_PREFIX}.`)) return presented(await credentialOfToken(context, bearer), true);
  if (issuerOf(bearer) === context.settings.PUBLIC_BASE_URL)
    return presented(await credentialOfSession(context, bearer), false);
  const caller = await callerOf(context, bearer);
  return presented(isUser(caller) ? credentialRefOf(caller) : null, true);
}

/** Sets the caller of this request from its Authorization header. */
export const authenticate: MiddlewareHandler<AppEnv> = async (c, next) => {
  const header = c.req.header("authorization");
  if (header !== undefined) {
    const [, bearer] = /^Bearer +(\S+)$/i.exec(header) ?? [];
    const context = c.get("context");
    const caller: Caller =
      bearer === undefined ? { kind: "anonymous", refusal: "malformed" } : await callerOf(context, bearer);
    c.set("context", { ...context, caller });
  }
  await next();
};
