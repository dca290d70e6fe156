import type { MiddlewareHandler } from "hono";
import { isUser, NO_LIMITS, type Refusal, type ResourcePath, type UserCaller } from "../platform/caller";
import { type Capability, type Level, nameOf, READ, WRITE } from "../platform/capabilities";
import type { AppEnv, Context } from "../platform/context";
import { DomainError, forbidden, notFound } from "../platform/errors";
import { securedBy } from "../platform/http/router";
import { levelAt } from "./permission";

const REFUSAL_ERRORS: Readonly<Record<Refusal, () => DomainError>> = {
  malformed: () =>
    new DomainError("unauthenticated", "The Authorization header holds no credential of ours. Send `Bearer <token>`."),
  unknown: () =>
    new DomainError("unauthenticated", "This credential is not known. Sign in again, or make a new token."),
  expired: () =>
    new DomainError("credential-expired", "This credential has expired. Refresh the session, or make a new token."),
  revoked: () =>
    new DomainError("credential-revoked", "This credential was revoked. Sign in again, or make a new token."),
  unverified: () =>
    new DomainError(
      "unauthenticated",
      "This credential's issuer has not verified the e-mail address it names, or may not speak for its domain.",
    ),
  taken: () =>
    new DomainError(
      "unauthenticated",
      "The account of this address belongs to another sign-in. Use that one, or ask the operator.",
    ),
};

/** The signed-in user behind this call. @throws DomainError 401 with the reason when there is none. */
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

/** A user signed in with a session: tokens cannot manage credentials. @throws DomainError 401, 403. */
export function requireSession(context: Pick<Context, "caller">): UserCaller & { kind: "session" } {
  const caller = requireUser(context);
  if (caller.kind !== "session")
    throw forbidden("Credentials are managed by a signed-in person alone. Sign in and use the session.");
  return caller;
}

/** A platform admin. @throws DomainError 401, 403. */
export function requireAdmin(context: Pick<Context, "caller">): UserCaller {
  const caller = requireUser(context);
  if (!caller.isAdmin) throw forbidden("This is for platform administrators, with a credential that is not narrowed.");
  return caller;
}

/**
 * Refuses unless the caller holds `needed` at the place. What the caller cannot see at all is absent
 * (404, the same as unknown); what it sees, by `view` or by `capability` itself, is forbidden (403).
 */
export function requireLevel(
  context: Pick<Context, "caller">,
  place: ResourcePath,
  view: Capability,
  capability: Capability,
  needed: Level,
): void {
  const { facts } = requireUser(context);
  const held = levelAt(facts, capability, place);
  if (held >= needed) return;
  if (held < READ && levelAt(facts, view, place) < READ) throw notFound();
  throw levelAt({ ...facts, limits: NO_LIMITS }, capability, place) >= needed
    ? restrictedToken(capability, needed)
    : forbidden();
}

/** What a person may do, and their token may not. */
const restrictedToken = (capability: Capability, needed: Level): DomainError =>
  forbidden(
    `This token is narrowed: it lacks ${nameOf(needed)} of ${capability}, which you hold. Use one that has it, or sign in.`,
  );

/** Whether the caller holds at least `needed` (Read unless said) of a capability at a place. */
export const holds = (caller: UserCaller, capability: Capability, place: ResourcePath, needed: Level = READ): boolean =>
  levelAt(caller.facts, capability, place) >= needed;

/**
 * Refuses unless the caller administers the organization: owner or admin by role, and through a
 * credential that keeps Write of OrganizationView. @throws DomainError 401, 403, 404.
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

/** Spread into a route that is for signed-in people: 401 comes before anything of the request is judged. */
export const forUsers = securedBy(userGuard);
