import { carried, ownedBy } from "../platform/db/carry/declare";
import {
  accessTokens,
  auditEntries,
  deletedIdentities,
  endedRegistrations,
  grants,
  memberships,
  NEWER_PERSON,
  organizations,
  passkeys,
  people,
  pointers,
  pruned,
  recoveryCodes,
  refreshTokens,
  removalOwners,
  removals,
  sessions,
  users,
  workspaces,
} from "./tables";

/** An entry is never changed, but for the address of a deleted account: then its time changes too. */
const AUDIT = {
  follows: [
    "organization_id",
    "actor_user_id",
    "actor_kind",
    "credential_id",
    "action",
    "subject_type",
    "subject_id",
  ].concat(["details", "ip", "request_id"]),
};

/** The members and those with grants. */
const peopleOf = (workspace: string): string => `(SELECT ${workspace} AS person
  UNION SELECT user_id FROM memberships WHERE organization_id = ${workspace}
  UNION SELECT user_id FROM grants WHERE tenant_id = ${workspace}) AS found CROSS JOIN people AS row ON row.id = found.person`;

export const accessOfWorkspace = [
  carried(people, { from: peopleOf, replaced: NEWER_PERSON }),
  carried(organizations, ownedBy("id")),
  carried(memberships, ownedBy("organization_id")),
  carried(pruned, ownedBy("workspace_id")),
  carried(grants, { ...ownedBy("tenant_id"), key: ["row.user_id", "row.id"] }),
  carried(auditEntries, { ...AUDIT, ...ownedBy("organization_id") }),
  // What a person did in their personal workspace and with their account.
  carried(auditEntries, {
    ...AUDIT,
    part: "own",
    where: (workspace) => `row.organization_id IS NULL AND row.actor_user_id = ${workspace}`,
  }),
];

/** What identifies and admits a person, for an export of that person. */
export const accessOfPerson = {
  directory: [
    carried(users, { ...ownedBy("id"), secrets: ["password_hash"] }),
    carried(sessions, ownedBy("user_id")),
    carried(passkeys, ownedBy("user_id")),
    carried(accessTokens, { ...ownedBy("user_id"), secrets: ["secret_hash"] }),
  ],
  workspace: [
    carried(memberships, { ...ownedBy("user_id"), part: "mine" }),
    carried(grants, { ...ownedBy("user_id"), part: "mine" }),
  ],
};

export const accessOfDirectory = [
  carried(users, { secrets: ["password_hash"] }),
  carried(sessions, {}),
  carried(refreshTokens, { secrets: ["secret_hash"] }),
  carried(passkeys, {}),
  carried(recoveryCodes, { secrets: ["code_hash"] }),
  carried(accessTokens, { secrets: ["secret_hash"] }),
  carried(endedRegistrations, {}),
  carried(workspaces, {}),
  carried(pointers, {}),
  carried(removals, {}),
  carried(removalOwners, {}),
  carried(deletedIdentities, {}),
  carried(auditEntries, {
    ...AUDIT,
    part: "service",
    where: "row.organization_id IS NULL AND row.actor_user_id IS NULL",
  }),
];
