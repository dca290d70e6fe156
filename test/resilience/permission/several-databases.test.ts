import { beforeAll, expect, test } from "vitest";
import { writeToken } from "../../../src/access/authentication/authenticate";
import { accessTokens, pointers, workspaces } from "../../../src/access/tables";
import { randomHex, sha256Hex } from "../../../src/platform/crypto/bytes";
import { beginChange } from "../../../src/platform/db/change";
import { runBatch } from "../../../src/platform/db/database";
import { NO_WORKSPACE } from "../../../src/platform/db/residence";
import { newId, newIdIn, newWorkspaceId, numberOf } from "../../../src/platform/ids";
import { assetOf, compareApi, type Service } from "../../permission/compare-api";
import { placeOf } from "../../permission/facts";
import { accountStatements, workspaceStatements } from "../../permission/rows";
import type { Thing, World } from "../../permission/world";
import { worlds } from "../../permission/worlds";
import {
  callSeveral,
  contextOfDatabase,
  databaseOf,
  migrateCount,
  namesOf,
  runJobs,
  settingOf,
} from "../../support/databases";
import fc, { scaled } from "../../support/properties";
import { testDatabase } from "../../support/statements";

/** Numbers of databases that the same worlds are in. */
const COUNTS = [1, 2, 5];

beforeAll(() => migrateCount(Math.max(...COUNTS)));

const workspacesOf = ({ userIds, organizations }: World): string[] => [
  ...userIds,
  ...organizations.map(({ id }) => id),
];

/** The world at the current time, with ids of the service: each id in a workspace has the number of the workspace. */
function broughtToLife(world: World): World {
  const now = Date.now();
  const ids = new Map(workspacesOf(world).map((id) => [id, newWorkspaceId()]));
  const idOf = (thing: Thing) => newIdIn(ids.get(placeOf(thing).tenantId) ?? "");
  for (const thing of world.things) if (!ids.has(thing.id)) ids.set(thing.id, idOf(thing));
  let text = JSON.stringify(world);
  for (const [old, id] of ids) text = text.replaceAll(old, id);
  const fresh = JSON.parse(text) as World;
  const grants = fresh.grants.map((grant) => {
    if (grant.expiresAt === null) return grant;
    return { ...grant, expiresAt: grant.expiresAt > world.now ? now + 86_400_000 : now - 1 };
  });
  return { ...fresh, now, grants, credentials: fresh.credentials.slice(-4) };
}

const databaseFor = (name: string) => testDatabase(databaseOf(name));

/** A service with this many databases, whose workspaces are in those that `places` names, one after the other. */
function serviceOf(count: number, places: readonly string[]): Service {
  const placesIn = (world: World) => new Map(workspacesOf(world).map((id, n) => [id, places[n % places.length] ?? ""]));
  return {
    async fill(world) {
      const placed = placesIn(world);
      for (const name of namesOf(count)) {
        const here = workspacesOf(world).filter((id) => placed.get(id) === name);
        await runBatch(databaseFor(name), workspaceStatements(world, databaseFor(name), here));
      }
      const directory = databaseFor("directory");
      const held = [
        ...world.memberships.map(({ userId, organizationId }) => [userId, organizationId]),
        ...world.grants.map(({ userId, target }) => [userId, placeOf(target).tenantId]),
      ];
      await runBatch(directory, [
        ...accountStatements(world, directory),
        ...[...placed].map(([id, database]) =>
          directory.insert(workspaces).values({ id, number: numberOf(id), database }),
        ),
        ...held.map(([userId = "", workspaceId = ""]) =>
          directory.insert(pointers).values({ userId, workspaceId }).onConflictDoNothing(),
        ),
      ]);
    },
    async index(world) {
      const placed = placesIn(world);
      for (const name of namesOf(count)) {
        const change = beginChange(contextOfDatabase(name, count), NO_WORKSPACE);
        for (const thing of world.things)
          if (placed.get(placeOf(thing).tenantId) === name) change.job("index-asset", assetOf(thing));
        await change.commit();
      }
      await runJobs(count);
    },
    async mint(userId, limits) {
      const [id, secret] = [newId(), randomHex(32)];
      const row = { id, userId, name: "test", secretHash: await sha256Hex(secret), createdAt: Date.now(), ...limits };
      await databaseFor("directory").insert(accessTokens).values(row);
      return writeToken(id, secret);
    },
    call: (method, path, options = {}) =>
      callSeveral(method, path, { ...options, vars: { DATABASES: settingOf(count) } }),
  };
}

test.each(COUNTS)(
  "every list, search and single read agrees with the contract: %i databases",
  {
    timeout: 240_000,
  },
  async (count) => {
    let decisions = 0;
    const places = fc.array(fc.constantFrom(...namesOf(count)), { minLength: Math.min(2, count), maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(worlds, places, async (world, chosen) => {
        const compared = await compareApi(broughtToLife(world), serviceOf(count, chosen));
        decisions += compared.decisions;
        expect(compared.differences).toEqual([]);
      }),
      { numRuns: scaled(3), endOnFailure: true },
    );
    expect(decisions).toBeGreaterThan(scaled(3) * 20);
  },
);
