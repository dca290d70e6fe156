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
  type ResourcePath,
  type ShareCaller,
  type TokenLimits,
  type UserCaller,
} from "../platform/caller";
export * from "../platform/capabilities";
export { markVerified } from "./accounts/proof";
export type { InvitationRedeemer } from "./accounts/sign-in";
export { emailSchema } from "./accounts/user";
export { type AuditEntry, actorOf, auditStatement } from "./audit";
export { authenticate, credentialOf, type Presented, recordUse } from "./authentication/authenticate";
export { accessJobs } from "./jobs";
export {
  type CredentialEnd,
  credentialKey,
  credentialRefOf,
  limitsOf,
  loadCredential,
  loadCredentialEnds,
  type TokenRow,
  userRef,
} from "./permission/credential";
export { levelAt, levelsAt, limitLevel, memberLevel } from "./permission/evaluate";
export { type GrantRow, parseMap, selectGrants, toFacts } from "./permission/load";
export {
  idsInScope,
  inScope,
  isOutOfScope,
  type KeysetPage,
  type ResourcePathColumns,
  type Scope,
  type ScopedRows,
  type ScopeOptions,
  scopeOf,
} from "./permission/scope";
export {
  forUsers,
  holds,
  requireAdmin,
  requireLevel,
  requireOrganizationAdmin,
  requireSession,
  requireUser,
} from "./require";
