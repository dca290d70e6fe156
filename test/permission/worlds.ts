import fc from "fast-check";
import { CAPABILITIES, LEVELS, ROLES } from "../../src/access";
import { type Credential, type Grant, idOf, type Levels, type Owner, type Thing, type World } from "./world";

const USERS = 3;
const ORGANIZATIONS = 3;
const NOW = 1_800_000_000_000;

const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const someOf = <T>(from: readonly T[]): fc.Arbitrary<T[]> => fc.subarray([...from]);

export const levels: fc.Arbitrary<Levels> = fc.record(
  Object.fromEntries(CAPABILITIES.map((capability) => [capability, fc.constantFrom(...LEVELS)])),
  { requiredKeys: [], noNullPrototype: true },
);

const userIds = times(USERS, (n) => idOf("user", n));
const organizationIds = times(ORGANIZATIONS, (n) => idOf("organization", n));

const organizations = fc.tuple(
  ...organizationIds.map((id) =>
    fc.record({
      id: fc.constant(id),
      cameras: fc.boolean(),
      externalShares: fc.boolean(),
      signInRequirement: fc.constantFrom("none", "none", "none", "none", "admins", "members"),
    }),
  ),
);

/** Memberships of random pairs of user and organization. */
const memberships = fc
  .tuple(
    ...userIds.flatMap((userId) =>
      organizationIds.map((organizationId) =>
        fc.option(
          fc.record({
            userId: fc.constant(userId),
            organizationId: fc.constant(organizationId),
            role: fc.constantFrom(...ROLES),
            overrides: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, levels),
          }),
        ),
      ),
    ),
  )
  .map((all) => all.filter((membership) => membership !== null));

const owner: fc.Arbitrary<Owner> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...organizationIds).map((organizationId) => ({ organizationId })) },
  fc.constantFrom(...userIds).map((userId) => ({ userId })),
);

/** Random clusters with owners, with locations, documents and other content. */
const things: fc.Arbitrary<Thing[]> = fc
  .record({
    owners: fc.array(owner, { minLength: 1, maxLength: 4 }),
    locations: fc.array(fc.nat(), { maxLength: 6 }),
    documents: fc.array(fc.nat(), { maxLength: 6 }),
    contents: fc.array(fc.nat(), { maxLength: 5 }),
  })
  .map(({ owners, locations, documents, contents }) => {
    const clusters = owners.map(
      (of, n): Thing => ({ kind: "cluster", id: idOf("cluster", n), parent: null, owner: of }),
    );
    const below = (kind: Exclude<Thing["kind"], "cluster">, picks: readonly number[], parents: readonly Thing[]) =>
      parents.length === 0
        ? []
        : picks.map((pick, n): Thing => {
            const parent = parents[pick % parents.length] as Thing;
            return { kind, id: idOf(kind, n), parent, owner: parent.owner };
          });
    const places = below("location", locations, clusters);
    return [...clusters, ...places, ...below("document", documents, places), ...below("content", contents, places)];
  });

/** Live, ended, and ending in this millisecond. */
const expiry = fc.constantFrom(null, null, NOW - 1, NOW, NOW + 1, NOW + 86_400_000);

const grantsOn = (all: readonly Thing[]): fc.Arbitrary<Grant[]> =>
  fc.uniqueArray(
    fc.record({
      userId: fc.constantFrom(...userIds),
      target: fc.constantFrom(...all.filter((thing) => thing.kind !== "content")),
      levels,
      expiresAt: expiry,
    }),
    { maxLength: 10, selector: (grant) => `${grant.userId} ${grant.target.id}` },
  );

const isProven = fc.constantFrom(true, true, false);

const credential: fc.Arbitrary<Credential> = fc.record({
  userId: fc.constantFrom(...userIds),
  organizationIds: fc.option(someOf(organizationIds), { freq: 2 }),
  ceiling: fc.option(levels, { freq: 2 }),
  isProven,
});

/** Every user's session, and some tokens. */
const credentials = fc
  .tuple(
    fc.tuple(...userIds.map((userId) => isProven.map((proven) => ({ userId, isProven: proven })))),
    fc.array(credential, { minLength: 1, maxLength: 3 }),
  )
  .map(([people, tokens]) => [
    ...people.map((person) => ({ ...person, organizationIds: null, ceiling: null })),
    ...tokens,
  ]);

/** A small random world in which every case of the rule is frequent. */
export const worlds: fc.Arbitrary<World> = things.chain((all) =>
  fc.record({
    now: fc.constant(NOW),
    userIds: fc.constant(userIds),
    organizations,
    memberships,
    things: fc.constant(all),
    grants: grantsOn(all),
    credentials,
  }),
);
