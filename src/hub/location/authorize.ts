import {
  type AccessFacts,
  type Capability,
  type CredentialRef,
  contextAt,
  credentialKey,
  type Level,
  levelAt,
  READ,
  type ResourcePath,
} from "../../access";
import type { Context } from "../../platform/context";
import { loadAccessAtLocation, locationPath } from "../../workspace";
import type { Need } from "../connection";
import { presenceIn, selectPresent } from "./subjects";

/** The owner of a credential to check: a connection, or its registration. */
interface Holder {
  readonly credential: CredentialRef;
}

export interface Authorization {
  /** Whether the connection may see the location, and so stay joined. */
  mayView(holder: Holder): boolean;
  maySee(holder: Holder, need: Need): boolean;
  /** End of the first grant that may give this access, milliseconds; null if no grant ends. */
  endsAt(holder: Holder): number | null;
}

/**
 * The evaluator for many credentials. In an organization, credentials without grants that share their membership
 * and limits have the same access, so a few evaluations serve a thousand listeners.
 */
function sharedLevels(): (facts: AccessFacts, capability: Capability, place: ResourcePath) => Level {
  const known = new Map<unknown, Map<unknown, Map<string, Level>>>();
  return (facts, capability, place) => {
    const isShared = place.organizationId !== null && facts.grants.length === 0 && facts.memberships.length <= 1;
    if (!isShared) return levelAt(facts, capability, place);
    const byLimits = known.get(facts.memberships[0]) ?? new Map<unknown, Map<string, Level>>();
    known.set(facts.memberships[0], byLimits);
    const levels = byLimits.get(facts.limits) ?? new Map<string, Level>();
    byLimits.set(facts.limits, levels);
    const key = `${capability} ${place.documentId}`;
    const level = levels.get(key) ?? levelAt(facts, capability, place);
    levels.set(key, level);
    return level;
  };
}

/**
 * Reads the current access of all these credentials, and which subjects of `needs` still exist here, from the primary
 * database in one round trip.
 */
export async function authorize(
  context: Context,
  locationId: string,
  holders: readonly Holder[],
  needs: readonly Need[],
): Promise<Authorization> {
  const now = Date.now();
  const credentials = holders.map(({ credential }) => credential);
  const documentIds = [...new Set(needs.flatMap(({ documentId }) => documentId ?? []))];
  const subjects = needs.flatMap(({ subject }) => subject ?? []);
  const present = subjects.length === 0 ? [] : [selectPresent(locationId, subjects)];
  const { location, facts, endsAt, alongside } = await loadAccessAtLocation(
    await contextAt(context, locationId),
    credentials,
    locationId,
    documentIds,
    now,
    present,
  );
  const isPresent = presenceIn(alongside[0]);
  const place = location && locationPath(location);
  const levelOf = sharedLevels();
  const mayRead = ({ credential }: Holder, capability: Capability, documentId: string | null): boolean => {
    // Connections of one session share its facts, but each token expires at its own time.
    if (place === null || (credential.expiresAt !== null && credential.expiresAt <= now)) return false;
    const found = facts.get(credentialKey(credential));
    if (found === undefined) return false;
    return levelOf(found, capability, documentId === null ? place : { ...place, documentId }) >= READ;
  };
  const viewing = new Map<Holder, boolean>();
  const mayView = (holder: Holder): boolean => {
    const known = viewing.get(holder) ?? mayRead(holder, "LocationView", null);
    viewing.set(holder, known);
    return known;
  };
  return {
    mayView,
    maySee: (holder, { requires, documentId, subject }) =>
      (subject === null || isPresent(subject)) &&
      mayView(holder) &&
      (requires === "LocationView" || mayRead(holder, requires, documentId)),
    endsAt: ({ credential }) => endsAt.get(credentialKey(credential)) ?? null,
  };
}
