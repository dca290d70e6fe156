export { emailSchema } from "./accounts/address";
export type { InvitationRedeemer } from "./accounts/invitation";
export { markVerified } from "./accounts/proof";
export { type AuditEntry, actorOf, auditStatement } from "./audit";
export { authenticate, credentialOf, type Presented } from "./authentication/authenticate";
export { type Caller, type DeviceCaller, isUser, type ShareCaller, type UserCaller } from "./caller";
export { forUsers } from "./guard";
export { accessJobs } from "./jobs";
export * from "./permission/capabilities";
export { type CredentialRef, credentialKey, credentialRefOf, userRef } from "./permission/credential";
export { type CredentialEnd, loadCredentialEnds } from "./permission/credential-ends";
export { cutLevel, levelAt, levelsAt, memberLevel } from "./permission/evaluate";
export type {
  AccessFacts,
  Entitlements,
  GrantFact,
  GrantTarget,
  MembershipFact,
  Place,
  TokenLimits,
} from "./permission/facts";
export { type LocatedAccess, loadAccessAtLocation } from "./permission/load-at-location";
export { loadCredential } from "./permission/load-credential";
export { idsInScope, type KeysetPage, type ScopedRows } from "./permission/page";
export { inScope, isOutOfScope, type PlaceColumns, type Scope, type ScopeOptions, scopeOf } from "./permission/scope";
export { holds, requireAdmin, requireLevel, requireOrganizationAdmin, requireSession, requireUser } from "./require";
