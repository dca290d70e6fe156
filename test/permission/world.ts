import type { Capability, LevelName, Role } from "../../src/access";
import type { SignInRequirement } from "../../src/platform/caller";

/*
 * A world of plain objects: users, resources and grants. It has no rows, scopes or SQL, so that a reader can compare
 * reference.ts with the contract.
 */

export type Levels = Partial<Record<Capability, LevelName>>;

export interface Organization {
  id: string;
  cameras: boolean;
  externalShares: boolean;
  /** Absent: none. */
  signInRequirement?: SignInRequirement;
}

export interface Membership {
  userId: string;
  organizationId: string;
  role: Role;
  overrides: Levels;
}

/** The owner of a cluster: an organization, or the user of a personal workspace. */
export type Owner = { organizationId: string } | { userId: string };

export interface Thing {
  kind: "cluster" | "location" | "document" | "content";
  id: string;
  /** The container of the resource. Null for a cluster, which has an owner. */
  parent: Thing | null;
  owner: Owner;
}

export interface Grant {
  userId: string;
  target: Thing;
  levels: Levels;
  /** Milliseconds since the epoch. Null: never. */
  expiresAt: number | null;
}

/** A session (without restrictions) or a personal access token. */
export interface Credential {
  userId: string;
  organizationIds: string[] | null;
  ceiling: Levels | null;
  /** Whether a passkey or a second factor has opened the session, or the one that made the token. Absent: yes. */
  isProven?: boolean;
}

export interface World {
  now: number;
  userIds: string[];
  organizations: Organization[];
  memberships: Membership[];
  things: Thing[];
  grants: Grant[];
  credentials: Credential[];
}

const KINDS = ["user", "organization", "cluster", "location", "document", "content", "grant", "token"] as const;

/** The id of the n-th resource of a kind: a valid UUID that is readable in the output of a failed test. */
export const idOf = (kind: (typeof KINDS)[number], n: number): string =>
  `00000000-0000-7000-8000-${String(KINDS.indexOf(kind) + 1).padStart(4, "0")}${String(n).padStart(8, "0")}`;
