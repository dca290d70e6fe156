import type { LimitTable } from "../row";

export const workspaceLimits: LimitTable<typeof import("../../../src/workspace/limits")> = {
  MAX_CLUSTERS: { page: "count | Workspaces | clusters of a workspace", held: "capacity" },
  MAX_LOCATIONS: { page: "count | Workspaces | locations of a cluster", held: "capacity" },
  MAX_ANNOTATIONS: { page: "count | Workspaces | annotations of a location", held: "capacity" },
  MAX_GRANTS_PER_RESOURCE: { page: "count | Workspaces | grants of one resource", held: "capacity" },
  MAX_GRANTS_PER_USER: { page: "count | Workspaces | grants of one user", held: "capacity" },
  GRANT_RATE_LIMIT: { page: "rate | Workspaces | grants that one user creates", held: "rates" },
  MAX_OPEN_INVITATIONS: { page: "count | Workspaces | open invitations of an organization", held: "capacity" },
  INVITATION_LIFETIME_MS: {
    page: "time | Workspaces | lifetime of an invitation, which works once",
    held: ["lifetimes", "effects > the mail of an invitation says how long it is valid"],
  },
  INVITATION_RATE_LIMIT: { page: "rate | Workspaces | invitations that one user sends", held: "rates" },
  INVITATION_MAILS_PER_ADDRESS: {
    page: "rate | Workspaces | mails of invitations and waiting shares to one address, from all organizations",
    held: "effects > the mails of invitations to one address are counted over all organizations in a window",
  },
  INVITATION_PREVIEWS_PER_NETWORK: {
    page: "rate | Workspaces | invitations that one network looks at, in each instance",
    held: "rates",
  },
  MAX_RECOGNITION_LANGUAGES: {
    page: "count | Workspaces | languages in which the scans of an organization are recognized",
    held: "documents/recognition-languages.test.ts > has one to three languages, each once, chosen by an owner",
  },
  MAX_CLAIMED_CHANGES: {
    page: "count | Workspaces | memberships that one request changes for the claims of its token",
    held: "access/claims.test.ts > of many is followed by later requests",
  },
  SKIPPED_CLAIM_MS: {
    held: "access/claims.test.ts > that is unknown is skipped, looked for again after a time, and does not keep others",
  },
  MAX_AUDITED_GRANTS: { held: "shown" },
  MAX_OWNED_ORGANIZATIONS: { page: "count | Workspaces | organizations that one user owns", held: "capacity" },
  SHARING_RETENTION_MS: { held: "lifetimes" },
  METADATA_LIMITS: { fields: { maxBytes: { held: "inputs" }, maxDepth: { held: "inputs" } } },
};
