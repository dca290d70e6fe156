import type { LimitTable } from "../row";

export const accessLimits: LimitTable<typeof import("../../../src/access/limits")> = {
  MIN_PASSWORD_LENGTH: { page: ["Accounts", "characters of a password, at least", "count"], held: "inputs" },
  MAX_PASSWORD_LENGTH: { page: ["Accounts", "characters of a password, at most", "count"], held: "inputs" },
  RESET_LIFETIME_MS: { page: ["Accounts", "lifetime of a reset link", "time"], held: "lifetimes" },
  ACCESS_TOKEN_LIFETIME_MS: { page: ["Accounts", "lifetime of an access token", "time"], held: "lifetimes" },
  SESSION_LIFETIME_MS: { page: ["Accounts", "lifetime of a session without use", "time"], held: "lifetimes" },
  REFRESH_RETRY_GRACE_MS: { held: "lifetimes" },
  MAX_BEARER_LENGTH: { held: ["access/access-tokens.test.ts"], open: true },
  MAX_ORGANIZATIONS_PER_TOKEN: {
    page: ["Accounts", "organizations of a personal access token", "count"],
    held: "inputs",
  },
  MAX_TOKENS_PER_USER: { page: ["Accounts", "personal access tokens of a user", "count"], held: "capacity" },
  SESSION_RETENTION_MS: { held: "lifetimes" },
  TOKEN_RETENTION_MS: { held: "lifetimes" },
  SIGN_INS_PER_ACCOUNT_AND_NETWORK: {
    page: ["Accounts", "sign-in attempts from one network at one account", "rate"],
    held: "rates",
  },
  SIGN_INS_PER_ACCOUNT: {
    page: ["Accounts", "sign-in attempts at one account from all networks that are new to it", "rate"],
    held: "rates",
  },
  SIGN_INS_PER_NETWORK: { page: ["Accounts", "sign-in attempts from one network", "rate"], held: "rates" },
  REFRESHES_PER_NETWORK: {
    page: ["Accounts", "refreshes of sessions from one network, in each instance", "rate"],
    held: "rates",
  },
  REGISTRATIONS_PER_NETWORK: { page: ["Accounts", "registrations from one network", "rate"], held: "rates" },
  REGISTRATIONS_PER_ADDRESS: { page: ["Accounts", "registrations of one address", "rate"], held: "rates" },
  RESETS_PER_NETWORK: { page: ["Accounts", "password resets from one network", "rate"], held: "rates" },
  RESET_MAILS_PER_ADDRESS: {
    page: ["Accounts", "reset links mailed to one address", "rate"],
    held: ["limits/effects.test.ts > the mails with reset links of one address are counted in a window"],
  },
};
