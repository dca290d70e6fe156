import type { Capability, LevelName, Role } from "../../src/access";

/*
 * A world of plain objects: who there is, what there is, who was given what. It says nothing of
 * rows, scopes or SQL, so that the reference beside it can be read against the contract alone.
 */

export type Levels = Partial<Record<Capability, LevelName>>;

export interface Organization {
  id: string;
  cameras: boolean;
  externalShares: boolean;
}

export interface Membership {
  userId: string;
  organizationId: string;
  role: Role;
  overrides: Levels;
}

/** Whose a cluster is: an organization's, or in a person's own workspace. */
export type Owner = { organizationId: string } | { userId: string };

export interface Thing {
  kind: "cluster" | "location" | "document" | "content";
  id: string;
  /** What it lies in; null for a cluster, which has an owner. */
  parent: Thing | null;
  owner: Owner;
}

export interface Grant {
  userId: string;
  target: Thing;
  levels: Levels;
  /** Milliseconds since the epoch; null never. */
  expiresAt: number | null;
}

/** A session (nothing narrowed) or a personal access token. */
export interface Credential {
  userId: string;
  organizationIds: string[] | null;
  ceiling: Levels | null;
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

/** The id of the n-th of a kind: a valid UUID that a failing world can be read by. */
export const idOf = (kind: (typeof KINDS)[number], n: number): string =>
  `00000000-0000-7000-8000-${String(KINDS.indexOf(kind) + 1).padStart(4, "0")}${String(n).padStart(8, "0")}`;
