import type { MiddlewareHandler } from "hono";
import {
  type CredentialRef,
  isUser,
  NO_LIMITS,
  type Refusal,
  type ResourcePath,
  type UserCaller,
} from "../platform/caller";
import { type Capability, type Level, nameOf, READ, WRITE } from "../platform/capabilities";
import type { AppEnv, Context } from "../platform/context";
import { DomainError, forbidden, notFound } from "../platform/errors";
import { securedBy } from "../platform/http/router";
import { noteCaller, noteWorkspace } from "../platform/log";
import { credentialRefOf, levelAt, loadCredential } from "./permission";

const REFUSAL_ERRORS: Readonly<Record<Refusal, () => DomainError>> = {
  malformed: () =>
    new DomainError(
      "unauthenticated",
      "The Authorization header has no credential of this service. Send `Bearer <token>`.",
    ),
  unknown: () =>
    new DomainError("unauthenticated", "This credential is unknown. Sign in again, or create a new token."),
  expired: () =>
    new DomainError("credential-expired", "This credential has expired. Refresh the session, or create a new token."),
  revoked: () =>
    new DomainError("credential-revoked", "This credential was revoked. Sign in again, or create a new token."),
  unverified: () =>
    new DomainError(
      "unauthenticated",
      "The issuer of this credential has not verified its e-mail address, or may not vouch for the domain of that address. Verify the address with the issuer, or ask the operator.",
    ),
  taken: () =>
    new DomainError(
      "unauthenticated",
      "The account with this address uses another way to sign in. Use that way, or ask the operator.",
    ),
};

/** Returns the signed-in user of this request. @throws DomainError 401 with the reason if there is none. */
export function requireUser(context: Pick<Context, "caller">): UserCaller {
  const { caller } = context;
  if (isUser(caller)) return caller;
  const refusal = caller.kind === "anonymous" ? caller.refusal : null;
  throw refusal === null
    ? new DomainError(
        "unauthenticated",
        "Send a session's access token or a personal access token as `Authorization: Bearer …`.",
      )
    : REFUSAL_ERRORS[refusal]();
}

/** Returns the user if they use a session: tokens cannot manage credentials. @throws DomainError 401, 403. */
export function requireSession(context: Pick<Context, "caller">): UserCaller & { kind: "session" } {
  const caller = requireUser(context);
  if (caller.kind !== "session")
    throw forbidden("Only a session can manage credentials. Sign in and use the session's access token.");
  return caller;
}

/**
 * Returns the user if they have signed in, here or at an external issuer: a token cannot manage tokens.
 * @throws DomainError 401, 403.
 */
export function requireSignIn(context: Pick<Context, "caller">): UserCaller {
  const caller = requireUser(context);
  return caller.kind === "external" ? caller : requireSession(context);
}

/** Returns the user if they are a platform administrator. @throws DomainError 401, 403. */
export function requireAdmin(context: Pick<Context, "caller">): UserCaller {
  const caller = requireUser(context);
  if (!caller.isAdmin)
    throw forbidden(
      "This is for platform administrators. Use a session, or a token without restrictions, of an administrator.",
    );
  return caller;
}

/**
 * Refuses unless the caller holds `needed` of `capability` on the resource.
 * @throws DomainError not-found if the caller cannot see the resource, as for an unknown one; forbidden if the caller
 * sees it, by `view` or by `capability` itself.
 */
export function requireLevel(
  context: Pick<Context, "caller">,
  place: ResourcePath,
  view: Capability,
  capability: Capability,
  needed: Level,
): void {
  const { facts } = requireUser(context);
  noteWorkspace(place.tenantId);
  const held = levelAt(facts, capability, place);
  if (held >= needed) return;
  if (held < READ && levelAt(facts, view, place) < READ) throw notFound();
  throw levelAt({ ...facts, limits: NO_LIMITS }, capability, place) >= needed
    ? restrictedToken(capability, needed)
    : forbidden();
}

/** The error for an action that the person may do, but not with this token. */
const restrictedToken = (capability: Capability, needed: Level): DomainError =>
  forbidden(
    `This token is restricted: it lacks ${nameOf(needed)} of ${capability}, which you hold. Use a token that has it, or sign in.`,
  );

/** Whether the caller holds at least `needed` (default: Read) of a capability on a resource. */
export const holds = (caller: UserCaller, capability: Capability, place: ResourcePath, needed: Level = READ): boolean =>
  levelAt(caller.facts, capability, place) >= needed;

/**
 * Refuses unless the caller is an owner or admin of the organization, with a credential that has Write of
 * OrganizationView. @throws DomainError 401, 403, 404.
 */
export function requireOrganizationAdmin(context: Pick<Context, "caller">, organizationId: string): UserCaller {
  const caller = requireUser(context);
  const place: ResourcePath = { tenantId: organizationId, organizationId };
  requireLevel(context, place, "OrganizationView", "OrganizationView", READ);
  const role = caller.facts.memberships.find((m) => m.organizationId === organizationId)?.role;
  const administers = role === "owner" || role === "admin";
  if (administers && holds(caller, "OrganizationView", place, WRITE)) return caller;
  throw administers && levelAt({ ...caller.facts, limits: NO_LIMITS }, "OrganizationView", place) >= WRITE
    ? restrictedToken("OrganizationView", WRITE)
    : forbidden("This is for owners and admins of the organization.");
}

const userGuard: MiddlewareHandler<AppEnv> = async (c, next) => {
  requireUser(c.get("context"));
  await next();
};

/** Spread it into a route for signed-in users: the 401 comes before the validation of the request. */
export const forUsers = securedBy(userGuard);

/**
 * The caller's credential for an address that is used later. A session or a token is looked up then, so the end of the
 * presented access token does not count. @throws DomainError 401
 */
export function readerOf(context: Pick<Context, "caller">): CredentialRef {
  const ref = credentialRefOf(requireUser(context));
  return ref.kind === "external" ? ref : { ...ref, expiresAt: null };
}

/**
 * The context of a credential that was presented earlier, with its current access; null if the credential has ended.
 */
export async function asReader(context: Context, reader: CredentialRef): Promise<Context | null> {
  noteCaller(reader.kind);
  const live = await loadCredential(context, reader, context.now);
  return live && { ...context, caller: callerOf(reader, live) };
}

function callerOf(
  { kind, id, userId }: CredentialRef,
  live: Pick<UserCaller, "facts" | "expiresAt" | "language">,
): UserCaller {
  // Bytes are read with the rights of a member, so the rights of an administrator of the service do not count.
  const of = { userId, isAdmin: false, ...live };
  if (kind === "session") return { ...of, kind, sessionId: id };
  return kind === "pat" ? { ...of, kind, tokenId: id } : { ...of, kind: "external", issuer: "", signedInAt: null };
}
