export {
  type CredentialEnd,
  type CredentialRow,
  credentialKey,
  credentialRefOf,
  limitsOf,
  limitsOfSession,
  liveLimitsIn,
  loadCredential,
  loadCredentialEnds,
  placesIn,
  readLiveCredentials,
  readSession,
  readToken,
  refusalOf,
  type TokenRow,
  userRef,
} from "./credential";
export { isBarred, levelAt, levelsAt, limitLevel, memberLevel } from "./evaluate";
export {
  factsOfUser,
  type GrantEnds,
  type GrantRow,
  loadFacts,
  loadFactsOf,
  loadGrantEnds,
  parseMap,
  selectGrants,
  toFacts,
} from "./load";
export {
  idsInScope,
  inScope,
  isOutOfScope,
  type KeysetPage,
  type ResourcePathColumns,
  type Scope,
  scopeOf,
} from "./scope";
