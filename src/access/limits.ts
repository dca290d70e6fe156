import type { RateLimit } from "../platform/http/rate-limit";
import { DAY, HOUR, MINUTE } from "../platform/time";

/** Number of characters of a password: the minimum resists guessing, the maximum keeps the request small. */
export const MIN_PASSWORD_LENGTH = 10;
export const MAX_PASSWORD_LENGTH = 200;

/** Lifetime of a reset link, milliseconds. */
export const RESET_LIFETIME_MS = HOUR;

/** Age of a sign-in at an issuer that confirms the deletion of the account, milliseconds. */
export const RECENT_SIGN_IN_MS = 10 * MINUTE;

/** Lifetime of an access token. Every request also checks the session, so an ended session counts at once. */
export const ACCESS_TOKEN_LIFETIME_MS = 15 * MINUTE;

/** Lifetime of a session without a refresh. */
export const SESSION_LIFETIME_MS = 30 * DAY;

/**
 * Time in which a used refresh token is accepted again. A client that lost the answer then gets the same successor. If
 * the successor was used, the client had received it, so a second use of the first token is theft.
 */
export const REFRESH_RETRY_GRACE_MS = MINUTE;

/** Maximum length of a bearer token, characters. Longer ones are malformed. */
export const MAX_BEARER_LENGTH = 8_192;

/** Maximum number of organizations that a token is restricted to. */
export const MAX_ORGANIZATIONS_PER_TOKEN = 100;

/** Maximum number of tokens of one person that have not ended. */
export const MAX_TOKENS_PER_USER = 100;

/** Maximum number of passkeys of one person. */
export const MAX_PASSKEYS_PER_USER = 20;

/** Time in which an authenticator must sign a challenge. The proof of the person that adds a passkey counts as long. */
export const PASSKEY_CHALLENGE_LIFETIME_MS = 5 * MINUTE;

/** Number of recovery codes that a person gets at once. */
export const RECOVERY_CODES_PER_USER = 10;

/** Retention of ended credentials. A refusal can then give the reason. */
export const SESSION_RETENTION_MS = 7 * DAY;
export const TOKEN_RETENTION_MS = 90 * DAY;

/* Attempts of networks and addresses */

/** Sign-ins of one network to one account. A correct password resets it. */
export const SIGN_INS_PER_ACCOUNT_AND_NETWORK: RateLimit = { limit: 10, windowMs: 15 * MINUTE };
/** Sign-ins without a session of the account, from all networks together. */
export const SIGN_INS_PER_ACCOUNT: RateLimit = { limit: 100, windowMs: 15 * MINUTE };
/** Sign-ins of one network to all accounts. An office behind one address must stay below it. */
export const SIGN_INS_PER_NETWORK: RateLimit = { limit: 150, windowMs: 15 * MINUTE };
/**
 * Challenges for sign-ins with passkeys that one network gets. A sign-in page that stays open renews its challenge, and an office
 * behind one address must stay below it.
 */
export const PASSKEY_CHALLENGES_PER_NETWORK: RateLimit = { limit: 600, windowMs: 15 * MINUTE };
/** Refreshes of sessions from one network, for each instance. */
export const REFRESHES_PER_NETWORK: RateLimit = { limit: 120, windowMs: MINUTE };
export const REGISTRATIONS_PER_NETWORK: RateLimit = { limit: 30, windowMs: HOUR };
export const REGISTRATIONS_PER_ADDRESS: RateLimit = { limit: 10, windowMs: HOUR };
export const RESETS_PER_NETWORK: RateLimit = { limit: 30, windowMs: HOUR };
/** Reset links that are sent to one address. The limit protects its mailbox from other people's requests. */
export const RESET_MAILS_PER_ADDRESS: RateLimit = { limit: 5, windowMs: HOUR };
