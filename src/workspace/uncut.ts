import type { UserCaller } from "../access";
import { forbidden } from "../platform/errors";

/** Refuses a token that is narrowed away from organizations it is not in yet. @throws DomainError forbidden. */
export function requireUncut({ facts: { limits } }: UserCaller): void {
  if (limits.organizationIds !== null || (limits.ceiling !== null && limits.ceiling.OrganizationView !== "Write"))
    throw forbidden("This token does not reach new organizations. Use one that is not narrowed to organizations.");
}
