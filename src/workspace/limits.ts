import { type SQL, sql } from "drizzle-orm";
import { DomainError } from "../platform/errors";
import type { RateLimit } from "../platform/http/rate-limit";
import { DAY, HOUR, MINUTE } from "../platform/time";

/**
 * Maximum number of clusters in a workspace, of locations in a cluster and of annotations in a location. A deletion marks
 * them in one statement.
 */
export const MAX_CLUSTERS = 10_000;
export const MAX_LOCATIONS = 10_000;
export const MAX_ANNOTATIONS = 10_000;

/** Maximum number of grants on one resource. */
export const MAX_GRANTS_PER_RESOURCE = 500;

/** Maximum number of grants of one user. Each request of the user reads all of them. */
export const MAX_GRANTS_PER_USER = 5_000;

/** Grants that one user may create. The limit exists because each answer tells whether an address has an account. */
export const GRANT_RATE_LIMIT: RateLimit = { limit: 300, windowMs: HOUR };

/** Maximum number of open invitations of an organization. Shares that wait for a person count too. */
export const MAX_OPEN_INVITATIONS = 500;

/** Lifetime of an invitation. */
export const INVITATION_LIFETIME_MS = 7 * DAY;

/** Invitations that one user may send. The limit exists because each answer tells whether an address has an account. */
export const INVITATION_RATE_LIMIT: RateLimit = { limit: 100, windowMs: HOUR };

/** Mails of invitations and of waiting shares to one address, from all organizations. More are not sent: it stops floods. */
export const INVITATION_MAILS_PER_ADDRESS: RateLimit = { limit: 10, windowMs: DAY };

/** Looks at invitations from one network, for each instance. Tokens are too long to guess: it stops floods. */
export const INVITATION_PREVIEWS_PER_NETWORK: RateLimit = { limit: 120, windowMs: MINUTE };

/** Languages in which the scans of an organization are recognized: each takes time of each page. */
export const MAX_RECOGNITION_LANGUAGES = 3;

/** Memberships that one request gives, changes or ends for the claims of its token. Later requests go on. */
export const MAX_CLAIMED_CHANGES = 20;
/** Time after which a membership that could not follow the claims is tried again. */
export const SKIPPED_CLAIM_MS = MINUTE;

/** Maximum number of ended grants that an audit entry lists. It counts the others. */
export const MAX_AUDITED_GRANTS = 100;

/** Maximum number of organizations that one user may own. Each organization has its own storage and jobs. */
export const MAX_OWNED_ORGANIZATIONS = 50;

/** Retention of ended grants and invitations. People can find and renew them in this time. */
export const SHARING_RETENTION_MS = 30 * DAY;

/** Guard: `rows` (a query of any columns) finds fewer than `most` rows. It reads at most `most` rows. */
export const fewerThan = (most: number, rows: SQL): SQL =>
  sql`(SELECT count(*) FROM (${rows} LIMIT ${most})) < ${most}`;

/** The error for a container that is full. `what` names it at the beginning of the sentence. */
export const limitReached = (what: string, most: number): DomainError =>
  new DomainError("rule-violated", `${what} has reached its maximum of ${most}. Delete some, or use another one.`);

/** Maximum size of a resource's `metadata` (bytes of JSON), and its maximum nesting. */
export const METADATA_LIMITS = { maxBytes: 16 * 1024, maxDepth: 8 };
