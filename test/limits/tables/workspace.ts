import type { LimitTable } from "../row";

export const workspaceLimits: LimitTable<typeof import("../../../src/workspace/limits")> = {
  MAX_CLUSTERS: { page: ["Workspaces", "clusters of a workspace", "count"], held: "capacity" },
  MAX_LOCATIONS: { page: ["Workspaces", "locations of a cluster", "count"], held: "capacity" },
  MAX_ANNOTATIONS: { page: ["Workspaces", "annotations of a location", "count"], held: "capacity" },
  MAX_GRANTS_PER_RESOURCE: { page: ["Workspaces", "grants of one resource", "count"], held: "capacity" },
  MAX_GRANTS_PER_USER: { page: ["Workspaces", "grants of one user", "count"], held: "capacity" },
  GRANT_RATE_LIMIT: { page: ["Workspaces", "grants that one user creates", "rate"], held: "rates" },
  MAX_OPEN_INVITATIONS: { page: ["Workspaces", "open invitations of an organization", "count"], held: "capacity" },
  INVITATION_LIFETIME_MS: {
    page: ["Workspaces", "lifetime of an invitation, which works once", "time"],
    held: ["lifetimes", "limits/effects.test.ts > the mail of an invitation says how long it is valid"],
  },
  INVITATION_RATE_LIMIT: { page: ["Workspaces", "invitations that one user sends", "rate"], held: "rates" },
  INVITATION_PREVIEWS_PER_NETWORK: {
    page: ["Workspaces", "invitations that one network looks at, in each instance", "rate"],
    held: "rates",
  },
  MAX_AUDITED_GRANTS: { held: "shown" },
  MAX_OWNED_ORGANIZATIONS: { page: ["Workspaces", "organizations that one user owns", "count"], held: "capacity" },
  SHARING_RETENTION_MS: { held: "lifetimes" },
  METADATA_LIMITS: {
    fields: {
      maxBytes: { held: "inputs" },
      maxDepth: { held: "inputs" },
    },
  },
};
