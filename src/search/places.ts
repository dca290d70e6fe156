import { contextAt, readIn, type UserCaller } from "../access";
import { inWaves } from "../platform/concurrency";
import type { Context } from "../platform/context";
import { DATABASES_AT_ONCE } from "../platform/db/database";
import { type AccessScope, type SearchScope, withAccessScope } from "./access-scope";

/*
 * A search reads each database of the caller and merges the answers. The score of a hit depends only on the caller's part of its
 * own workspace, so hits of several databases are in the order that one database would give them. What counts over all workspaces,
 * such as the frequency of a completion, is added up.
 */

/** A database in which the caller may find something. */
export interface SearchPlace {
  /** The context in the database. */
  context: Context;
  access: AccessScope;
}

/** Ids of a request whose databases are looked up, so that the other databases are not asked. */
const MAX_LOOKED_UP = DATABASES_AT_ONCE;

/** The databases that can have results. A request with few chosen places asks only theirs. */
async function namesOf(
  context: Context,
  { facts }: UserCaller,
  { organizationIds, clusterIds, locationIds }: SearchScope,
  documentId: string | null,
): Promise<readonly string[]> {
  const all = context.databases.names;
  if (all.length === 1) return all;
  const ids =
    documentId === null ? [organizationIds, clusterIds, locationIds].flatMap((given) => given ?? []) : [documentId];
  if (ids.length === 0 || ids.length > MAX_LOOKED_UP) return facts.databases;
  const chosen = await Promise.all(ids.map(async (id) => (await contextAt(context, id)).database));
  return facts.databases.filter((name) => chosen.includes(name));
}

/** Reads with the access scope of a caller in each of their databases. Databases without anything to find are left out. */
export async function withSearchPlaces<T>(
  context: Context,
  caller: UserCaller,
  narrow: SearchScope,
  documentId: string | null,
  read: (places: readonly SearchPlace[]) => Promise<T>,
): Promise<T> {
  const names = await namesOf(context, caller, narrow, documentId);
  const contexts = await readIn(context, names, async (there) => there);
  const open = (at: number, places: readonly SearchPlace[]): Promise<T> => {
    const there = contexts[at];
    if (there === undefined) return read(places);
    return withAccessScope(there, caller, narrow, (access) =>
      open(at + 1, access === null ? places : [...places, { context: there, access }]),
    );
  };
  return open(0, []);
}

/** Reads in each place, in some of them at the same time. @returns the answers in the order of the places */
export const inEachPlace = <T>(
  places: readonly SearchPlace[],
  read: (place: SearchPlace, at: number) => Promise<T>,
): Promise<T[]> => inWaves(places, DATABASES_AT_ONCE, read);
