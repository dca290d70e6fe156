import { integer, primaryKey, text } from "drizzle-orm/sqlite-core";
import { SIGN_IN_REQUIREMENTS } from "../platform/caller";
import type { CapabilityMap } from "../platform/capabilities";
import { directoryTable, eachTable, workspaceTable } from "../platform/db/sides";
import { LANGUAGES } from "../platform/languages/languages";
import type { RecognitionLanguage } from "../platform/languages/recognition";

export const users = directoryTable("users", {
  id: text().primaryKey(),
  email: text().notNull(),
  emailVerifiedAt: integer("email_verified_at"),
  externalIssuer: text("external_issuer"),
  externalSubject: text("external_subject"),
  displayName: text("display_name").notNull(),
  namedAt: integer("named_at").notNull().default(0),
  passwordHash: text("password_hash"),
  isAdmin: integer("is_admin", { mode: "boolean" }).notNull().default(false),
  language: text({ enum: LANGUAGES }),
  /** Since when a sign-in with the password asks for a second factor; null if it does not ask. */
  secondFactorAt: integer("second_factor_at"),
  /** When the newest token was made whose claims changed memberships; null: none did. */
  claimsAt: integer("claims_at"),
  createdAt: integer("created_at").notNull(),
});

/** The ways to open a session. A registration opens one with the new password. */
export const SIGN_IN_METHODS = ["password", "passkey"] as const;

/** What confirms a sign-in after the password. */
export const SECOND_FACTORS = ["passkey", "recovery-code"] as const;

export const sessions = directoryTable("sessions", {
  id: text().primaryKey(),
  userId: text("user_id").notNull(),
  createdAt: integer("created_at").notNull(),
  lastUsedAt: integer("last_used_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  revokedAt: integer("revoked_at"),
  userAgent: text("user_agent").notNull(),
  ip: text().notNull(),
  /** How it was opened. */
  method: text({ enum: SIGN_IN_METHODS }).notNull().default("password"),
  secondFactor: text("second_factor", { enum: SECOND_FACTORS }),
  /** Whether the browser keeps it after it is closed. */
  isKept: integer("is_kept", { mode: "boolean" }).notNull().default(false),
});

export const refreshTokens = directoryTable("refresh_tokens", {
  secretHash: text("secret_hash").primaryKey(),
  sessionId: text("session_id").notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
  usedAt: integer("used_at"),
});

export const passwordResets = directoryTable("password_resets", {
  secretHash: text("secret_hash").primaryKey(),
  userId: text("user_id").notNull(),
  isMailed: integer("is_mailed", { mode: "boolean" }).notNull(),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

/** Passkeys (WebAuthn) that sign a person in. */
export const passkeys = directoryTable("passkeys", {
  id: text().primaryKey(),
  userId: text("user_id").notNull(),
  name: text().notNull(),
  /** The id that the authenticator gave it, base64url. */
  credentialId: text("credential_id").notNull(),
  /** In COSE form, base64url. */
  publicKey: text("public_key").notNull(),
  /** Signatures that the authenticator has counted; 0 if it does not count. */
  counter: integer().notNull(),
  /** How browsers reach the authenticator. */
  transports: text({ mode: "json" }).$type<string[]>().notNull(),
  isBackedUp: integer("is_backed_up", { mode: "boolean" }).notNull(),
  createdAt: integer("created_at").notNull(),
  lastUsedAt: integer("last_used_at"),
});

/** Challenges that an authenticator has to sign. Each is used once, for one purpose and by one person. */
export const passkeyChallenges = directoryTable("passkey_challenges", {
  challengeHash: text("challenge_hash").primaryKey(),
  purpose: text({ enum: ["add", "sign-in", "second-factor"] }).notNull(),
  /** Null for a sign-in, which names no person yet. */
  userId: text("user_id"),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at").notNull(),
});

/** Codes that take the place of a passkey after the password. A code is deleted when it is used. */
export const recoveryCodes = directoryTable("recovery_codes", {
  codeHash: text("code_hash").primaryKey(),
  userId: text("user_id").notNull(),
  createdAt: integer("created_at").notNull(),
});

export const accessTokens = directoryTable("access_tokens", {
  id: text().primaryKey(),
  userId: text("user_id").notNull(),
  name: text().notNull(),
  secretHash: text("secret_hash").notNull(),
  organizationIds: text("organization_ids", { mode: "json" }).$type<string[]>(),
  capabilities: text({ mode: "json" }).$type<CapabilityMap>(),
  /** Whether the session that made it was opened with a passkey or a second factor. */
  isProven: integer("is_proven", { mode: "boolean" }).notNull().default(false),
  revision: integer().notNull().default(1),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at"),
  lastUsedAt: integer("last_used_at"),
  revokedAt: integer("revoked_at"),
});

/** Registrations by invitation that ended without an account. They cannot make one any more. */
export const endedRegistrations = directoryTable("ended_registrations", {
  id: text().primaryKey(),
  endedAt: integer("ended_at").notNull(),
});

/** The database of each workspace. */
export const workspaces = directoryTable("workspaces", {
  /** The id of an organization, or of the owner of a personal workspace. */
  id: text().primaryKey(),
  /** The number in the ids that are made in the workspace, 24 bits. Two workspaces can have the same. */
  number: integer().notNull(),
  database: text().notNull(),
});

export const MOVE_STATES = ["copying", "undoing", "switched", "opened", "finished", "undone"] as const;

/** The latest move of the workspaces of a number. */
export const moves = directoryTable("moves", {
  number: integer().primaryKey(),
  /** The id of its job too. */
  id: text().notNull(),
  workspaceId: text("workspace_id").notNull(),
  source: text().notNull(),
  target: text().notNull(),
  /** Up to `switched` the source has the workspaces. From then on the target has them. */
  state: text({ enum: MOVE_STATES }).notNull(),
  /** Of the worker that moves now. */
  token: text().notNull(),
  requestedBy: text("requested_by"),
  createdAt: integer("created_at").notNull(),
  closedAt: integer("closed_at"),
  switchedAt: integer("switched_at"),
  openedAt: integer("opened_at"),
  finishedAt: integer("finished_at"),
  reason: text(),
});

/** Work that goes over everything once. */
export const walks = directoryTable("walks", {
  name: text().primaryKey(),
  begunAt: integer("begun_at").notNull(),
  finishedAt: integer("finished_at"),
});

/** The workspaces in which a person may have a membership or a grant: a superset of them. Unused with one database. */
export const pointers = directoryTable("pointers", {
  /** Rises with each write, so no two pointers have ever had the same. */
  version: integer().primaryKey({ autoIncrement: true }),
  userId: text("user_id").notNull(),
  workspaceId: text("workspace_id").notNull(),
});

/** The latest version of a person's pointer that was removed, as each workspace knows it. */
export const pruned = workspaceTable(
  "pruned",
  {
    workspaceId: text("workspace_id").notNull(),
    userId: text("user_id").notNull(),
    version: integer().notNull(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.userId] })],
);

/** The receipts of removed workspaces. */
export const removals = directoryTable("removals", {
  /** The organization, or the deleted person of a personal workspace. */
  workspaceId: text("workspace_id").primaryKey(),
  name: text(),
  deletedAt: integer("deleted_at").notNull(),
  deletedBy: text("deleted_by"),
  startedAt: integer("started_at").notNull(),
  finishedAt: integer("finished_at"),
  contents: text({ mode: "json" }).$type<RemovedContents[]>().notNull(),
});

/** The last owners of removed organizations, who can read the receipts. */
export const removalOwners = directoryTable(
  "removal_owners",
  { userId: text("user_id").notNull(), workspaceId: text("workspace_id").notNull() },
  (t) => [primaryKey({ columns: [t.userId, t.workspaceId] })],
);

/** What there was of one kind when the removal of a workspace began. */
export interface RemovedContents {
  kind: string;
  count: number;
  /** Null for a kind without files. */
  bytes: number | null;
}

/** Identities of issuers whose accounts were deleted, as hashes. */
export const deletedIdentities = directoryTable("deleted_identities", {
  hash: text().primaryKey(),
  deletedAt: integer("deleted_at").notNull(),
});

export const auditEntries = eachTable("audit_entries", {
  id: text().primaryKey(),
  organizationId: text("organization_id"),
  actorUserId: text("actor_user_id"),
  actorKind: text("actor_kind").notNull(),
  credentialId: text("credential_id"),
  action: text().notNull(),
  subjectType: text("subject_type").notNull(),
  subjectId: text("subject_id").notNull(),
  details: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
  ip: text(),
  requestId: text("request_id").notNull(),
  createdAt: integer("created_at").notNull(),
});

/** The data that a workspace shows of a person: a copy of the account in the directory. It signs nobody in. */
export const people = workspaceTable("people", {
  id: text().primaryKey(),
  email: text().notNull(),
  displayName: text("display_name").notNull(),
  namedAt: integer("named_at").notNull().default(0),
  /** Set when the account was deleted: then the row has no name and no address. */
  deletedAt: integer("deleted_at"),
});

/** SQL: when the carried copy of a person replaces one that exists. */
export const NEWER_PERSON = "excluded.named_at > people.named_at OR excluded.deleted_at IS NOT NULL";

export const organizations = workspaceTable("organizations", {
  id: text().primaryKey(),
  name: text().notNull(),
  revision: integer().notNull().default(1),
  cameras: integer({ mode: "boolean" }).notNull(),
  externalShares: integer("external_shares", { mode: "boolean" }).notNull(),
  documentStorageBytes: integer("document_storage_bytes").notNull(),
  jobsPerMonth: integer("jobs_per_month").notNull(),
  maxRetentionDays: integer("max_retention_days").notNull(),
  recognizesScans: integer("recognizes_scans", { mode: "boolean" }).notNull().default(true),
  /** The languages that are recognized in scans; null: the usual ones. */
  recognitionLanguages: text("recognition_languages", { mode: "json" }).$type<RecognitionLanguage[]>(),
  /** The members who must sign in with a passkey, or with a second factor after the password. */
  signInRequirement: text("sign_in_requirement", { enum: SIGN_IN_REQUIREMENTS }).notNull().default("none"),
  createdAt: integer("created_at").notNull(),
  updatedAt: integer("updated_at").notNull(),
  /** Set while it is deleted: then only its owners and an operator see it. */
  deletedAt: integer("deleted_at"),
  deletedBy: text("deleted_by"),
  /** The end of the recovery window. */
  purgeAt: integer("purge_at"),
  /** When its removal began. */
  removalAt: integer("removal_at"),
});

export const memberships = workspaceTable(
  "memberships",
  {
    organizationId: text("organization_id").notNull(),
    userId: text("user_id").notNull(),
    role: text({ enum: ["owner", "admin", "member", "guest"] }).notNull(),
    overrides: text({ mode: "json" }).$type<CapabilityMap>().notNull(),
    revision: integer().notNull().default(1),
    createdAt: integer("created_at").notNull(),
    /** The issuer whose claim brought it; null: a person gave it. */
    origin: text(),
  },
  (t) => [primaryKey({ columns: [t.organizationId, t.userId] })],
);

export const grants = workspaceTable("grants", {
  id: text().primaryKey(),
  userId: text("user_id").notNull(),
  target: text({ enum: ["cluster", "location", "document"] }).notNull(),
  targetId: text("target_id").notNull(),
  tenantId: text("tenant_id").notNull(),
  organizationId: text("organization_id"),
  capabilities: text({ mode: "json" }).$type<CapabilityMap>().notNull(),
  revision: integer().notNull().default(1),
  grantedBy: text("granted_by"),
  createdAt: integer("created_at").notNull(),
  expiresAt: integer("expires_at"),
});
