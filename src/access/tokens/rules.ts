import type { AccessFacts } from "../../platform/caller";
import { DomainError } from "../../platform/errors";

/** Live tokens one person may have. */
export const MOST_TOKENS = 100;

/**
 * Checks what a token is narrowed to: organizations its owner is a member of or holds a grant in;
 * anything else, existing or not, is refused alike. @throws DomainError rule-violated.
 */
export function checkTokenLimits(
  facts: AccessFacts,
  { organizationIds, expiresAt }: { organizationIds?: readonly string[] | null; expiresAt?: number | null },
  now: number,
): void {
  const reached = new Set([...facts.memberships, ...facts.grants].map((fact) => fact.organizationId));
  if (organizationIds?.some((id) => !reached.has(id)))
    throw new DomainError("rule-violated", "Name only organizations that you have access to.");
  if (expiresAt != null && expiresAt <= now)
    throw new DomainError("rule-violated", "Name a time in the future for `expiresAtUtc`, or null.");
}
