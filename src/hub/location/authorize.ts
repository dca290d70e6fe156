import {
  type AccessFacts,
  type Capability,
  type CredentialRef,
  contextAt,
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
  /** Whether the connection may see the location, and so stay joined. The holder is one of the given objects, else it may not. */
  mayView(holder: Holder): boolean;
  /** Whether it may see an event. The need is one of the given objects, else it may not. */
  maySee(holder: Holder, need: Need): boolean;
  /** End of the first grant that may give this access, milliseconds; null if no grant ends. */
  endsAt(holder: Holder): number | null;
}

/** The value of a key, which is made when it is first asked for. */
function getOrMake<K, V>(known: Map<K, V>, key: K, make: () => V): V {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = make();
  known.set(key, made);
  return made;
}

/**
 * The evaluator for many credentials. In an organization, credentials without grants that share their membership
 * and limits have the same access, so a few evaluations serve a thousand listeners.
 */
function sharedLevels(): (facts: AccessFacts, capability: Capability, place: ResourcePath) => Level {
  const known = new Map<unknown, Map<unknown, Map<Capability, Map<string | null | undefined, Level>>>>();
  return (facts, capability, place) => {
    const isShared = place.organizationId !== null && facts.grants.length === 0 && facts.memberships.length <= 1;
    if (!isShared) return levelAt(facts, capability, place);
    const byLimits = getOrMake(known, facts.memberships[0], () => new Map());
    const byCapability = getOrMake(byLimits, facts.limits, () => new Map());
    const byDocument = getOrMake(byCapability, capability, () => new Map());
    return getOrMake(byDocument, place.documentId, () => levelAt(facts, capability, place));
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
  const presence = subjects.length === 0 ? [] : [selectPresent(locationId, subjects)];
  const { location, held, alongside } = await loadAccessAtLocation(
    await contextAt(context, locationId),
    credentials,
    locationId,
    documentIds,
    now,
    presence,
  );
  const isPresent = presenceIn(alongside[0]);
  // Needs and holders are compared as objects: a key of text for each of them would cost more than the rest of the check.
  const present = new Set(needs.filter(({ subject }) => subject === null || isPresent(subject)));
  const accessOf = new Map(holders.map((holder, i) => [holder, held[i] ?? null]));
  const place = location && locationPath(location);
  const levelOf = sharedLevels();
  const mayRead = (holder: Holder, capability: Capability, documentId: string | null): boolean => {
    const { expiresAt } = holder.credential;
    // Connections of one session share its facts, but each token expires at its own time.
    if (place === null || (expiresAt !== null && expiresAt <= now)) return false;
    const found = accessOf.get(holder) ?? null;
    if (found === null) return false;
    return levelOf(found.facts, capability, documentId === null ? place : { ...place, documentId }) >= READ;
  };
  const viewing = new Map<Holder, boolean>();
  const mayView = (holder: Holder): boolean => getOrMake(viewing, holder, () => mayRead(holder, "LocationView", null));
  return {
    mayView,
    maySee: (holder, need) =>
      present.has(need) &&
      mayView(holder) &&
      (need.requires === "LocationView" || mayRead(holder, need.requires, need.documentId)),
    endsAt: (holder) => accessOf.get(holder)?.endsAt ?? null,
  };
}
