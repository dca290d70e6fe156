import { describe, expect, test } from "vitest";
import { type Capability, type LevelName, levelAt, nameOf, type Role } from "../../src/access";
import { factsOf, placeOf } from "./facts";
import { levelOn } from "./reference";
import {
  type Credential,
  type Grant,
  idOf,
  type Levels,
  type Organization,
  type Owner,
  type Thing,
  type World,
} from "./world";

/* Sentences of the contract with answers that a person wrote. They test the reference itself. */

const NOW = 1_000;
const [userId, other, organizationId] = [idOf("user", 0), idOf("user", 1), idOf("organization", 0)];

function tree(owner: Owner) {
  const cluster: Thing = { kind: "cluster", id: idOf("cluster", 0), parent: null, owner };
  const location: Thing = { kind: "location", id: idOf("location", 0), parent: cluster, owner };
  const document: Thing = { kind: "document", id: idOf("document", 0), parent: location, owner };
  return { cluster, location, document };
}
const ours = tree({ organizationId });
const personal = tree({ userId });
const anothers = tree({ userId: other });

interface Given {
  role?: Role;
  overrides?: Levels;
  grants?: Pick<Grant, "target" | "levels">[];
  expiresAt?: number;
  token?: Partial<Omit<Credential, "userId">>;
  entitlements?: Partial<Omit<Organization, "id">>;
}

function expectLevel(given: Given, capability: Capability, thing: Thing, expected: LevelName): void {
  const { role, overrides = {}, expiresAt = null, entitlements } = given;
  const world: World = {
    now: NOW,
    userIds: [userId, other],
    organizations: [{ id: organizationId, cameras: true, externalShares: true, ...entitlements }],
    memberships: role === undefined ? [] : [{ userId, organizationId, role, overrides }],
    things: [],
    grants: (given.grants ?? []).map((grant) => ({ userId, expiresAt, ...grant })),
    credentials: [],
  };
  const credential: Credential = { userId, organizationIds: null, ceiling: null, ...given.token };
  expect(levelOn(world, credential, capability, thing), "reference").toBe(expected);
  expect(nameOf(levelAt(factsOf(world, credential), capability, placeOf(thing))), "service").toBe(expected);
}

describe("an organization that requires more of a sign-in", () => {
  const token = { isProven: false };
  const grants = [{ target: ours.document, levels: { Documents: "Read" } as const }];
  const ofAdmins = { signInRequirement: "admins" } as const;
  const ofMembers = { signInRequirement: "members" } as const;

  test("of its admins shuts out owners and admins without it, and nobody else", () => {
    for (const role of ["owner", "admin"] as const) {
      expectLevel({ role, token, entitlements: ofAdmins }, "Documents", ours.document, "None");
      expectLevel({ role, entitlements: ofAdmins }, "Documents", ours.document, "Write");
      expectLevel({ role, token }, "Documents", ours.document, "Write");
      expectLevel({ role, token, entitlements: ofAdmins }, "Documents", personal.document, "Write");
    }
    expectLevel({ role: "member", token, entitlements: ofAdmins }, "Documents", ours.document, "Write");
  });

  test("of its members shuts out everybody with a membership, and their grants there", () => {
    expectLevel({ role: "member", token, entitlements: ofMembers }, "Documents", ours.document, "None");
    expectLevel({ role: "guest", grants, token, entitlements: ofMembers }, "Documents", ours.document, "None");
    expectLevel({ role: "guest", grants, entitlements: ofMembers }, "Documents", ours.document, "Read");
  });

  test("asks nothing of guests without a membership", () => {
    expectLevel({ grants, token, entitlements: ofMembers }, "Documents", ours.document, "Read");
  });
});

describe("roles and overrides", () => {
  test("a member writes documents, sees cameras, and only views clusters and locations", () => {
    expectLevel({ role: "member" }, "Documents", ours.document, "Write");
    expectLevel({ role: "member" }, "LocationCameras", ours.location, "Read");
    expectLevel({ role: "member" }, "LocationView", ours.location, "Read");
    expectLevel({ role: "member" }, "ExternalShareLinksCreate", ours.location, "None");
  });

  test("a guest sees only resources with a grant", () => {
    expectLevel({ role: "guest" }, "ClusterView", ours.cluster, "None");
    const grants = [{ target: ours.document, levels: { Documents: "Read" } as const }];
    expectLevel({ role: "guest", grants }, "Documents", ours.document, "Read");
    expectLevel({ role: "guest", grants }, "LocationView", ours.location, "None");
  });

  test("an override replaces the role's level, up or down, an owner's too", () => {
    expectLevel({ role: "guest", overrides: { Documents: "Write" } }, "Documents", ours.document, "Write");
    expectLevel({ role: "owner", overrides: { Documents: "None" } }, "Documents", ours.document, "None");
    expectLevel({ role: "owner", overrides: { Documents: "None" } }, "Reports", ours.location, "Write");
  });

  test("a grant gives a member a higher level than an override", () => {
    const grants = [{ target: ours.cluster, levels: { Documents: "Read" } as const }];
    expectLevel({ role: "member", overrides: { Documents: "None" }, grants }, "Documents", ours.document, "Read");
  });
});

describe("grants", () => {
  test("apply to the contents of their target, with the capabilities that they name", () => {
    const grants = [{ target: ours.cluster, levels: { LocationView: "Read", Documents: "Write" } as const }];
    expectLevel({ grants }, "LocationView", ours.location, "Read");
    expectLevel({ grants }, "Documents", ours.document, "Write");
    expectLevel({ grants }, "Reports", ours.location, "None");
  });

  test("include the view of their target, never of its container or its contents", () => {
    const onLocation = [{ target: ours.location, levels: {} }];
    expectLevel({ grants: onLocation }, "LocationView", ours.location, "Read");
    expectLevel({ grants: onLocation }, "ClusterView", ours.cluster, "None");
    const onCluster = [{ target: ours.cluster, levels: {} }];
    expectLevel({ grants: onCluster }, "ClusterView", ours.cluster, "Read");
    expectLevel({ grants: onCluster }, "LocationView", ours.location, "None");
  });

  test("on a document give only Documents, even if they name other capabilities", () => {
    const grants = [{ target: ours.document, levels: { Documents: "Read", LocationView: "Write" } as const }];
    expectLevel({ grants }, "Documents", ours.document, "Read");
    expectLevel({ grants }, "LocationView", ours.document, "None");
    expectLevel({ grants: [{ target: ours.document, levels: {} }] }, "Documents", ours.document, "None");
  });

  test("end in the millisecond of their expiry", () => {
    const grants = [{ target: ours.location, levels: { Documents: "Read" } as const }];
    expectLevel({ grants, expiresAt: NOW + 1 }, "Documents", ours.document, "Read");
    expectLevel({ grants, expiresAt: NOW }, "Documents", ours.document, "None");
  });
});

describe("a personal workspace", () => {
  test("gives its owner everything except cameras and external shares, and nothing to others", () => {
    expectLevel({}, "Documents", personal.document, "Write");
    expectLevel({}, "LocationView", personal.location, "Write");
    expectLevel({}, "LocationCameras", personal.location, "None");
    expectLevel({}, "ExternalShareLinksManage", personal.location, "None");
    expectLevel({}, "Documents", anothers.document, "None");
  });

  test("can be shared, cameras never", () => {
    const grants = [{ target: anothers.cluster, levels: { Documents: "Read", LocationCameras: "Read" } as const }];
    expectLevel({ grants }, "Documents", anothers.document, "Read");
    expectLevel({ grants }, "LocationCameras", anothers.location, "None");
  });

  test("is hidden from a token that names organizations, and so are grants in other personal workspaces", () => {
    const token = { organizationIds: [organizationId] };
    expectLevel({ token }, "Documents", personal.document, "None");
    const grants = [{ target: anothers.cluster, levels: { Documents: "Write" } as const }];
    expectLevel({ token, grants }, "Documents", anothers.document, "None");
  });
});

describe("tokens and entitlements", () => {
  test("a ceiling limits each capability; a capability without an entry is None, even an included view", () => {
    expectLevel({ role: "owner", token: { ceiling: { Documents: "Read" } } }, "Documents", ours.document, "Read");
    const grants = [{ target: ours.location, levels: { Documents: "Write" } as const }];
    expectLevel({ grants, token: { ceiling: { Documents: "Read" } } }, "LocationView", ours.location, "None");
    expectLevel({ grants, token: { ceiling: { Documents: "Read" } } }, "Documents", ours.document, "Read");
    expectLevel({ role: "owner", token: { ceiling: {} } }, "OrganizationView", ours.location, "None");
  });

  test("a token without organizations has no access", () => {
    expectLevel({ role: "owner", token: { organizationIds: [] } }, "Documents", ours.document, "None");
  });

  test("entitlements limit members and users of grants in the same way", () => {
    const grants = [{ target: ours.cluster, levels: { LocationCameras: "Read" } as const }];
    for (const given of [{ role: "owner" } as const, { grants }]) {
      expectLevel({ ...given, entitlements: { cameras: false } }, "LocationCameras", ours.location, "None");
      expectLevel(
        { ...given, entitlements: { externalShares: false } },
        "LocationCameras",
        ours.location,
        given.grants ? "Read" : "Write",
      );
    }
    const off = { externalShares: false };
    expectLevel({ role: "owner", entitlements: off }, "ExternalShareLinksCreate", ours.location, "None");
    expectLevel({ role: "owner", entitlements: off }, "ExternalShareLinksManage", ours.location, "None");
  });
});
