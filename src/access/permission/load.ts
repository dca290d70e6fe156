import { type Placeholder, type SQL, sql } from "drizzle-orm";
import type {
  AccessFacts,
  FactsInDatabase,
  GrantTarget,
  MembershipFact,
  SignInRequirement,
  TokenLimits,
} from "../../platform/caller";
import type { CapabilityMap, Role } from "../../platform/capabilities";
import { inWaves } from "../../platform/concurrency";
import type { Context } from "../../platform/context";
import {
  type Composed,
  DATABASES_AT_ONCE,
  readBoth,
  rowsOf,
  runBatch,
  type WorkspaceDatabase,
} from "../../platform/db/database";
import { reusable } from "../../platform/db/statements";
import { numberOf } from "../../platform/ids";
import { isOutage } from "../../platform/outages";
import { SettingsError } from "../../platform/settings";
import { grants, memberships, organizations } from "../tables";
import { placesIn, placesOfPeople, readPlaces } from "../workspaces";
import { isBarred } from "./evaluate";

/*
 * The queries group memberships and grants that differ only in their ids: thousands of grants become a few rows. The
 * number of rows decides how long D1's answer takes.
 */

const entitlements = sql`${organizations.cameras} AS cameras, ${organizations.externalShares} AS externalShares`;

interface MembershipRow {
  userId: string;
  role: Role;
  overrides: string;
  /** Joined by commas. */
  organizationIds: string;
  cameras: number;
  externalShares: number;
  requirement: SignInRequirement;
  origin: string | null;
}

/** Reads `MembershipRow`s: memberships with the entitlements and the requirement of their organizations. */
const selectMemberships = (where: SQL): SQL => sql`SELECT ${memberships.userId} AS userId, ${memberships.role} AS role,
  ${memberships.overrides} AS overrides, group_concat(${memberships.organizationId}) AS organizationIds, ${entitlements},
  ${organizations.signInRequirement} AS requirement, ${memberships.origin} AS origin
  FROM ${memberships} JOIN ${organizations} ON ${organizations.id} = ${memberships.organizationId}
  WHERE ${where} AND ${organizations.deletedAt} IS NULL GROUP BY ${memberships.userId}, ${memberships.role}, ${memberships.overrides}, cameras, externalShares, requirement, ${memberships.origin}`;

export interface GrantRow {
  userId: string;
  tenantId: string;
  organizationId: string | null;
  target: GrantTarget;
  capabilities: string;
  /** Joined by commas. */
  targetIds: string;
  /** The earliest end of these grants, milliseconds since the epoch. Null if none ends. */
  endsAt: number | null;
  /** Null in a personal workspace. */
  cameras: number | null;
  externalShares: number | null;
}

/** Reads `GrantRow`s: grants that have not expired at `now`, with the entitlements of their organization. */
export const selectGrants = (where: SQL, now: Placeholder): SQL =>
  sql`SELECT ${grants.userId} AS userId, ${grants.tenantId} AS tenantId, ${grants.organizationId} AS organizationId, ${grants.target} AS target,
  ${grants.capabilities} AS capabilities, group_concat(${grants.targetId}) AS targetIds, min(${grants.expiresAt}) AS endsAt, ${entitlements}
  FROM ${grants} LEFT JOIN ${organizations} ON ${organizations.id} = ${grants.organizationId}
  WHERE ${where} AND ${organizations.deletedAt} IS NULL AND (${grants.expiresAt} IS NULL OR ${grants.expiresAt} > ${now})
  GROUP BY ${grants.userId}, ${grants.tenantId}, ${grants.organizationId}, ${grants.target}, ${grants.capabilities}`;

/** Parses a stored map of capabilities and levels. */
export const parseMap = (text: string): CapabilityMap => JSON.parse(text) as CapabilityMap;

/**
 * The access facts in the rows of one user. The grants in an organization that bars the credential do not count.
 * @param memberOf the memberships in all organizations that the grants are in
 */
export function toFacts(
  userId: string,
  limits: TokenLimits,
  memberOf: readonly MembershipRow[],
  granted: readonly GrantRow[],
  databases: readonly string[] = [],
): AccessFacts {
  const [memberships, barred]: [MembershipFact[], MembershipFact[]] = [[], []];
  for (const { organizationIds, role, overrides, cameras, externalShares, requirement, origin } of memberOf) {
    const given = {
      role,
      overrides: parseMap(overrides),
      cameras: cameras === 1,
      externalShares: externalShares === 1,
      origin,
    };
    const held = isBarred(requirement, role, limits) ? barred : memberships;
    for (const organizationId of organizationIds.split(",")) held.push({ organizationId, ...given });
  }
  const closed = new Set<string | null>(barred.map(({ organizationId }) => organizationId));
  const grants = granted
    .filter(({ organizationId }) => !closed.has(organizationId))
    .map(({ target, organizationId, capabilities, targetIds, cameras, externalShares }) => ({
      target,
      organizationId,
      targetIds: new Set(targetIds.split(",")),
      capabilities: parseMap(capabilities),
      cameras: cameras === 1,
      externalShares: externalShares === 1,
    }));
  return { userId, limits, databases, memberships, barred, grants };
}

const memberOf = reusable<"userId">(() => selectMemberships(sql`${memberships.userId} = ${sql.placeholder("userId")}`));
const granted = reusable<"userId" | "now">(() =>
  selectGrants(sql`${grants.userId} = ${sql.placeholder("userId")}`, sql.placeholder("now")),
);

type Sources = Pick<Context, "directory" | "databases">;

/** The rows of a user in one workspace database. */
const factsIn = (userId: string, now: number): Composed[] => [memberOf({ userId }), granted({ userId, now })];

/**
 * Reads the current facts about a user beside statements of the directory, such as the statement that reads the
 * credential: both take one round trip. The directory's answer decides whether the facts count. With several databases, those
 * that had something of the user before are asked at once. The others that the directory names are asked afterwards.
 * If one of them does not answer, the facts in the others count, and `missing` of the facts has its failure.
 * @throws if the directory does not answer, or the only database
 */
export async function factsOfUser(
  { directory, databases }: Sources,
  ofDirectory: readonly Composed[],
  userId: string,
  now: number,
): Promise<{ found: D1Result[]; facts: (limits: TokenLimits) => AccessFacts }> {
  const [only, ...others] = databases.names;
  if (others.length === 0) {
    const workspace = databases.open(only as string);
    const results = await readBoth(
      { directory, workspace },
      { directory: ofDirectory, workspace: factsIn(userId, now) },
    );
    const [memberRows, grantRows] = results.workspace;
    const names = databases.names;
    return {
      found: results.directory,
      facts: (limits) => toFacts(userId, limits, rowsOf(memberRows), rowsOf(grantRows), names),
    };
  }
  const failures = new Map<string, unknown>();
  const ask = async (name: string): Promise<D1Result[]> => {
    try {
      return await runBatch(databases.open(name), factsIn(userId, now));
    } catch (thrown) {
      if (!isOutage(thrown) && !(thrown instanceof SettingsError)) throw thrown;
      failures.set(name, thrown);
      return [];
    }
  };
  const hinted = (hints.get(userId) ?? [])
    .filter((name) => databases.names.includes(name))
    .slice(0, DATABASES_AT_ONCE - 1);
  const [found, ...early] = await Promise.all([
    runBatch(directory, [...ofDirectory, readPlaces({ userId })]),
    ...hinted.map(ask),
  ]);
  const places = placesIn(found.pop());
  const names = places.map(({ name }) => name);
  const rows = new Map(hinted.map((name, n) => [name, early[n] as D1Result[]]));
  const late = names.filter((name) => !rows.has(name));
  for (let at = 0; at < late.length; at += DATABASES_AT_ONCE) {
    const wave = late.slice(at, at + DATABASES_AT_ONCE);
    for (const [n, answer] of (await Promise.all(wave.map(ask))).entries()) rows.set(wave[n] as string, answer);
  }
  if (hints.size >= MAX_HINTS) hints.clear();
  hints.set(userId, names);
  const missing = new Map(names.flatMap((name) => (failures.has(name) ? [[name, failures.get(name)] as const] : [])));
  return {
    found,
    facts: (limits) => {
      const inDatabase = new Map<string, FactsInDatabase>();
      for (const { name, numbers } of places) {
        const [members, granted] = rows.get(name) ?? [];
        const isIn = (number: number) => numbers?.has(number) ?? !places.some((one) => one.numbers?.has(number));
        const there = toFacts(userId, limits, membersAt(isIn, rowsOf(members)), grantsAt(isIn, rowsOf(granted)));
        inDatabase.set(name, { ...there, isHome: isIn(numberOf(userId)) });
      }
      const all = [...inDatabase.values()];
      if (missing.size > 0) return partFacts({ userId, limits, databases: names, inDatabase, missing });
      return {
        userId,
        limits,
        databases: names,
        inDatabase,
        memberships: all.flatMap(({ memberships }) => memberships),
        barred: all.flatMap(({ barred = [] }) => barred),
        grants: all.flatMap(({ grants }) => grants),
      };
    },
  };
}

/** The facts of some of the databases of a user. What needs all of them fails. */
function partFacts(
  known: Omit<AccessFacts, "memberships" | "barred" | "grants"> & Required<Pick<AccessFacts, "missing">>,
): AccessFacts {
  const fail = (): never => {
    throw [...known.missing.values()][0];
  };
  return {
    ...known,
    get memberships(): never {
      return fail();
    },
    get barred(): never {
      return fail();
    },
    get grants(): never {
      return fail();
    },
  };
}

/*
 * The rows of the workspaces that the directory places in a database. Another database can have rows of them too: before a move
 * switches, and until it has removed them.
 */
const membersAt = (isIn: (number: number) => boolean, rows: readonly MembershipRow[]): MembershipRow[] =>
  rows.flatMap((row) => {
    const ids = row.organizationIds.split(",").filter((id) => isIn(numberOf(id)));
    return ids.length === 0 ? [] : [{ ...row, organizationIds: ids.join(",") }];
  });
const grantsAt = (isIn: (number: number) => boolean, rows: readonly GrantRow[]): GrantRow[] =>
  rows.filter(({ tenantId }) => isIn(numberOf(tenantId)));

/** Users whose databases an isolate remembers, about 100 bytes each. */
const MAX_HINTS = 10_000;
/** The databases of users at their last request. A request reads them together with the directory, and then drops those that the directory does not name. */
const hints = new Map<string, readonly string[]>();

/** Loads the current facts about one user from all of their databases, as `factsOfUser` does. */
export async function loadFactsOf(
  sources: Sources,
  userId: string,
  limits: TokenLimits,
  now: number,
): Promise<AccessFacts> {
  const { names, open } = sources.databases;
  if (names.length === 1) return loadFacts(open(names[0] as string), userId, limits, now);
  return (await factsOfUser(sources, [], userId, now)).facts(limits);
}

/** Loads the current facts about one user from one database: two statements in one batch. */
export async function loadFacts(
  workspace: WorkspaceDatabase,
  userId: string,
  limits: TokenLimits,
  now: number,
): Promise<AccessFacts> {
  const [memberRows, grantRows] = await runBatch(workspace, factsIn(userId, now));
  return toFacts(userId, limits, rowsOf(memberRows), rowsOf(grantRows));
}

/** The ends of a user's grants, milliseconds since the epoch: the latest one that has passed, and the next one. */
export interface GrantEnds {
  last: number | null;
  next: number | null;
}

const grantEnds = reusable<"userIds" | "since" | "now">(
  () => sql`SELECT ${grants.userId} AS userId,
    max(CASE WHEN ${grants.expiresAt} <= ${sql.placeholder("now")} THEN ${grants.expiresAt} END) AS last,
    min(CASE WHEN ${grants.expiresAt} > ${sql.placeholder("now")} THEN ${grants.expiresAt} END) AS next
    FROM ${grants} WHERE ${grants.userId} IN (SELECT value FROM json_each(${sql.placeholder("userIds")}))
      AND ${grants.expiresAt} > ${sql.placeholder("since")} GROUP BY ${grants.userId}`,
);

/**
 * Reads when the grants of these users end, in all of their databases: one answer for each, in their order.
 * @param since earlier ends do not count, milliseconds since the epoch
 */
export async function loadGrantEnds(
  sources: Sources,
  userIds: readonly string[],
  since: number,
  now: number,
): Promise<GrantEnds[]> {
  const places = await placesOfPeople(sources, userIds);
  const found = await inWaves([...places], DATABASES_AT_ONCE, async ([name, theirs]) => {
    const statement = grantEnds({ userIds: JSON.stringify(theirs), since, now });
    const [rows] = await runBatch(sources.databases.open(name), [statement]);
    return rowsOf<GrantEnds & { userId: string }>(rows);
  });
  const known = Map.groupBy(found.flat(), ({ userId }) => userId);
  return userIds.map((userId) => {
    const theirs = known.get(userId) ?? [];
    const [lasts, nexts] = [theirs.flatMap(({ last }) => last ?? []), theirs.flatMap(({ next }) => next ?? [])];
    return {
      last: lasts.length === 0 ? null : Math.max(...lasts),
      next: nexts.length === 0 ? null : Math.min(...nexts),
    };
  });
}
