import type { CapabilityMap } from "../../src/access";
import { newId } from "../../src/platform/ids";
import { HOUR } from "../../src/platform/time";
import { mintCamera, mintCredential } from "../support/cameras";
import {
  mintLocation,
  mintMember,
  mintOrganization,
  mintPerson,
  mintToken,
  type Person,
  type Tenant,
} from "../support/factories";
import { issue, keyOf } from "../support/issuer";
import { mintSession } from "../support/sessions";
import { mintShare } from "../support/shares";

/** A word in the name of every hidden resource, so that a leak is found in any answer. */
export const SECRET = "zinnwaldite";
export const named = { name: `Hidden ${SECRET}` };

/** One organization with all kinds of users. Each file creates it once. */
export interface World {
  organizationId: string;
  tenant: Tenant;
  /** Owner of the organization. `token` is unrestricted. */
  owner: Person;
  /** Owner of another organization, without access here. */
  stranger: Person;
  /** Member of the organization without grants. */
  guest: Person;
  member: Person;
  platformAdmin: Person;
  /** Bearers of sessions. */
  sessions: { owner: string; stranger: string };
  /** A JWT of an external issuer for a person without access here. */
  issued: string;
  /** Ended and invalid credentials, with the code of their refusal. */
  dead: { kind: string; authorization: string; code: string }[];
  /** Credentials of cameras: one of this organization, one of another. */
  devices: { here: string; stranger: string };
  /** Bearers that no device route accepts, with the code of their refusal. */
  deadDevices: { kind: string; authorization: string; code: string }[];
  /** The owner's token for another organization. */
  elsewhere: string;
  /** The owner's token under a ceiling. */
  under: (ceiling: CapabilityMap) => Promise<string>;
  /** A platform admin's token for one organization. */
  narrowedAdmin: string;
  /** Links to cameras: one of another organization, and links that have ended. */
  shares: { stranger: string; dead: string[] };
}

/** A link of another organization, and ended links of this organization. */
async function mintShares(organizationId: string, otherId: string): Promise<World["shares"]> {
  const shareOf = async (tenant: string, overrides: Parameters<typeof mintShare>[3] = {}) => {
    // The stranger may see their own resources.
    const as = tenant === organizationId ? named : {};
    const { id } = await mintLocation({ organizationId: tenant }, as);
    const camera = await mintCamera(tenant, id, as);
    return (await mintShare(tenant, id, [camera.id], overrides)).token;
  };
  const past = Date.now() - 1;
  const live = await shareOf(organizationId);
  return {
    stranger: await shareOf(otherId),
    dead: [
      "",
      "nonsense",
      live.replace(/[0-9a-f]{64}$/, "0".repeat(64)),
      `svcshare1.${newId().replaceAll("-", "")}.${"0".repeat(64)}`,
      await shareOf(organizationId, { revokedAt: past }),
      await shareOf(organizationId, { expiresAt: past }),
    ],
  };
}

export async function mintWorld(): Promise<World> {
  const { id: organizationId, owner } = await mintOrganization(named);
  const { id: otherId, owner: stranger } = await mintOrganization();
  const platformAdmin = await mintPerson({ isAdmin: true });
  const later = Date.now() + HOUR;
  const tokenOf = async (overrides: Parameters<typeof mintToken>[1]) =>
    (await mintToken(owner.userId, overrides)).token;
  const sessionOf = async (overrides: Parameters<typeof mintSession>[1]) =>
    (await mintSession(owner.userId, overrides)).token;
  const wrongSecret = owner.token.replace(/[0-9a-f]{64}$/, "0".repeat(64));
  const dead = [
    { kind: "no credential", authorization: "", code: "unauthenticated" },
    { kind: "another scheme", authorization: "Basic b3duZXI6cGFzcw==", code: "unauthenticated" },
    { kind: "a malformed bearer", authorization: "Bearer nonsense", code: "unauthenticated" },
    { kind: "a malformed token", authorization: "Bearer svcpat1.1.2", code: "unauthenticated" },
    {
      kind: "an unknown token",
      authorization: `Bearer svcpat1.${newId().replaceAll("-", "")}.${"0".repeat(64)}`,
      code: "unauthenticated",
    },
    { kind: "a token with a wrong secret", authorization: `Bearer ${wrongSecret}`, code: "unauthenticated" },
    {
      kind: "an expired token",
      authorization: `Bearer ${await tokenOf({ expiresAt: Date.now() })}`,
      code: "credential-expired",
    },
    {
      kind: "a revoked token",
      authorization: `Bearer ${await tokenOf({ revokedAt: Date.now(), expiresAt: later })}`,
      code: "credential-revoked",
    },
    {
      kind: "an expired session",
      authorization: `Bearer ${await sessionOf({ expiresAt: Date.now() })}`,
      code: "credential-expired",
    },
    {
      kind: "a revoked session",
      authorization: `Bearer ${await sessionOf({ revokedAt: Date.now() })}`,
      code: "credential-revoked",
    },
  ];
  const standing = async (id: string, overrides: Parameters<typeof mintCamera>[2] = {}) => {
    // The stranger may see their own resources.
    const as = id === organizationId ? named : {};
    return (await mintCamera(id, (await mintLocation({ organizationId: id }, as)).id, { ...as, ...overrides })).id;
  };
  const camera = await standing(organizationId);
  const here = (await mintCredential(camera)).token;
  const revoked = (await mintCredential(camera, { revokedAt: Date.now() })).token;
  const ofRetired = (await mintCredential(await standing(organizationId, { retiredAt: Date.now() }))).token;
  const ofRevoked = (await mintCredential(await standing(organizationId, { revokedAt: Date.now() }))).token;
  const deadBearers = [here, revoked].map((token) => ({
    kind: "a camera's credential",
    authorization: `Bearer ${token}`,
    code: "unauthenticated",
  }));
  const deadDevices = [
    ...dead.map((credential) => ({ ...credential, code: "unauthenticated" })),
    ...[
      "svccam1.1.2",
      `svccam1.${newId().replaceAll("-", "")}.${"0".repeat(64)}`,
      here.replace(/[0-9a-f]{64}$/, "0".repeat(64)),
      here.toUpperCase(),
      owner.token,
      platformAdmin.token,
    ].map((token) => ({
      kind: "what is no credential of a camera",
      authorization: `Bearer ${token}`,
      code: "unauthenticated",
    })),
    ...[revoked, ofRetired, ofRevoked].map((token) => ({
      kind: "a credential that was revoked",
      authorization: `Bearer ${token}`,
      code: "credential-revoked",
    })),
  ];
  return {
    devices: { here, stranger: (await mintCredential(await standing(otherId))).token },
    deadDevices,
    organizationId,
    tenant: { organizationId },
    owner,
    stranger,
    guest: await mintMember(organizationId, "guest"),
    member: await mintMember(organizationId, "member"),
    platformAdmin,
    sessions: {
      owner: (await mintSession(owner.userId)).token,
      stranger: (await mintSession(stranger.userId)).token,
    },
    issued: await issue("main", await keyOf("main"), { email: `${newId()}@partner.test` }),
    dead: [...dead, ...deadBearers],
    elsewhere: await tokenOf({ organizationIds: [otherId] }),
    under: (ceiling) => tokenOf({ capabilities: ceiling }),
    shares: await mintShares(organizationId, otherId),
    narrowedAdmin: (await mintToken(platformAdmin.userId, { organizationIds: [organizationId] })).token,
  };
}
