export {
  type AccessFacts,
  type Caller,
  type CredentialRef,
  type DeviceCaller,
  type GrantTarget,
  isUser,
  type MembershipFact,
  type ResourcePath,
  type ShareCaller,
  type UserCaller,
} from "../platform/caller";
export * from "../platform/capabilities";
export {
  confirmAccount,
  decideRegistration,
  hashPassword,
  type InvitationRedeemer,
  isCommonPassword,
  typedSecretSchema,
  verifyAfter,
  verifyPassword,
} from "./accounts";
export { actorOf, auditStatement } from "./audit";
export { authenticate, credentialOf, type Presented, recordUse } from "./authentication";
export { accessJobs } from "./jobs";
export {
  insertGrant,
  insertGrants,
  insertMembership,
  insertOrganization,
  mayUseCameras,
  removeExpiredGrants,
  removeGrant,
  removeGrants,
  removeGrantsAsRead,
  removeGrantsOf,
  removeMembership,
  removeOrganization,
  updateGrantRow,
  updateMembership,
  updateOrganization,
} from "./memberships";
export {
  askToUndo,
  beginMove,
  latestMove,
  type Move,
  type MoveProgress,
  movesUnderWay,
  othersCame,
  placeOf,
  requireMove,
  switchMove,
  takeMove,
  turnMove,
  workspacesOf,
} from "./moves";
export { eraseAccount, forgetPerson, type Person, personColumns, readPerson } from "./people";
export {
  type CredentialEnd,
  credentialKey,
  credentialRefOf,
  type GrantEnds,
  type GrantRow,
  idsInScope,
  inScope,
  isOutOfScope,
  type KeysetPage,
  levelAt,
  levelsAt,
  limitLevel,
  liveLimitsIn,
  loadCredential,
  loadCredentialEnds,
  loadGrantEnds,
  memberLevel,
  parseMap,
  placesIn,
  type ResourcePathColumns,
  readLiveCredentials,
  type Scope,
  scopeOf,
  selectGrants,
  toFacts,
  userRef,
} from "./permission";
export { afterPointer, pruneAfter, pruneAllAfter, withPointer } from "./pointers";
export {
  forUsers,
  holds,
  readerOf,
  requireAdmin,
  requireLevel,
  requireOrganizationAdmin,
  requireUser,
} from "./require";
export {
  asReaderAt,
  contextAt,
  contextOfNumber,
  inItsDatabase,
  pageAcross,
  ROUTE_MS,
  readAcross,
  readIn,
} from "./routing";
export { emailSchema } from "./user";
export {
  assignWorkspace,
  beginRemoval,
  completeReceipt,
  contextsOf,
  countElsewhere,
  groupByPlace,
  insertReceipt,
  isToRemove,
  placesOfPeople,
} from "./workspaces";
