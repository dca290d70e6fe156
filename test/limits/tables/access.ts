import type { LimitTable } from "../row";

export const accessLimits: LimitTable<typeof import("../../../src/access/limits")> = {
  MIN_PASSWORD_LENGTH: { page: "count | Accounts | characters of a password, at least", held: "inputs" },
  MAX_PASSWORD_LENGTH: { page: "count | Accounts | characters of a password, at most", held: "inputs" },
  RESET_LIFETIME_MS: { page: "time | Accounts | lifetime of a reset link", held: "lifetimes" },
  RECENT_SIGN_IN_MS: {
    page: "time | Accounts | age of a sign-in at an issuer that confirms the deletion of the account",
    held: "lifetimes",
  },
  ACCESS_TOKEN_LIFETIME_MS: { page: "time | Accounts | lifetime of an access token", held: "lifetimes" },
  SESSION_LIFETIME_MS: { page: "time | Accounts | lifetime of a session without use", held: "lifetimes" },
  REFRESH_RETRY_GRACE_MS: { held: "lifetimes" },
  MAX_BEARER_LENGTH: { held: "effects" },
  MAX_ORGANIZATIONS_PER_TOKEN: { page: "count | Accounts | organizations of a personal access token", held: "inputs" },
  MAX_TOKENS_PER_USER: { page: "count | Accounts | personal access tokens of a user", held: "capacity" },
  MAX_PASSKEYS_PER_USER: { page: "count | Accounts | passkeys of a user", held: "capacity" },
  RECOVERY_CODES_PER_USER: { page: "count | Accounts | recovery codes of a user", held: "effects" },
  PASSKEY_CHALLENGE_LIFETIME_MS: {
    page: "time | Accounts | time in which a passkey must sign a challenge",
    held: "lifetimes",
  },
  PASSKEY_CHALLENGES_PER_NETWORK: {
    page: "rate | Accounts | challenges for sign-ins with passkeys that one network gets",
    held: "rates",
  },
  SESSION_RETENTION_MS: { held: "lifetimes" },
  TOKEN_RETENTION_MS: { held: "lifetimes" },
  SIGN_INS_PER_ACCOUNT_AND_NETWORK: {
    page: "rate | Accounts | sign-in attempts from one network at one account",
    held: "rates",
  },
  SIGN_INS_PER_ACCOUNT: {
    page: "rate | Accounts | sign-in attempts at one account from all networks that are new to it",
    held: "rates",
  },
  SIGN_INS_PER_NETWORK: { page: "rate | Accounts | sign-in attempts from one network", held: "rates" },
  REFRESHES_PER_NETWORK: {
    page: "rate | Accounts | refreshes of sessions from one network, in each instance",
    held: "rates",
  },
  REGISTRATIONS_PER_NETWORK: { page: "rate | Accounts | registrations from one network", held: "rates" },
  REGISTRATIONS_PER_ADDRESS: { page: "rate | Accounts | registrations of one address", held: "rates" },
  RESETS_PER_NETWORK: { page: "rate | Accounts | password resets from one network", held: "rates" },
  RESET_MAILS_PER_ADDRESS: {
    page: "rate | Accounts | reset links mailed to one address",
    held: "effects > the mails with reset links of one address are counted in a window",
  },
};
