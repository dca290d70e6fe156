export {
  type AccessFacts,
  type Caller,
  type CredentialRef,
  type DeviceCaller,
  type Entitlements,
  type GrantFact,
  type GrantTarget,
  isUser,
  type MembershipFact,
  type Place,
  type ShareCaller,
  type TokenLimits,
  type UserCaller,
} from "../platform/caller";
export * from "../platform/capabilities";
export { emailSchema } from "./accounts/address";
export type { InvitationRedeemer } from "./accounts/invitation";
export { markVerified } from "./accounts/proof";
export { type AuditEntry, actorOf, auditStatement } from "./audit";
export { authenticate, credentialOf, type Presented } from "./authentication/authenticate";
export { forUsers } from "./guard";
export { accessJobs } from "./jobs";
export { credentialKey, credentialRefOf, limitsOf, type TokenRow, userRef } from "./permission/credential";
export { type CredentialEnd, loadCredentialEnds } from "./permission/credential-ends";
export { cutLevel, levelAt, levelsAt, memberLevel } from "./permission/evaluate";
export { type GrantRow, parseMap, selectGrants, toFacts } from "./permission/load";
export { loadCredential } from "./permission/load-credential";
export { idsInScope, type KeysetPage, type ScopedRows } from "./permission/page";
export { inScope, isOutOfScope, type PlaceColumns, type Scope, type ScopeOptions, scopeOf } from "./permission/scope";
export { holds, requireAdmin, requireLevel, requireOrganizationAdmin, requireSession, requireUser } from "./require";
