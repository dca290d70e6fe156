import type { UserCaller } from "../access";
import { forbidden } from "../platform/errors";

/** Refuses a token that is narrowed away from organizations it is not in yet, or from changing any. @throws DomainError forbidden. */
export function requireUncut({ facts: { limits } }: UserCaller): void {
  if (limits.organizationIds !== null)
    throw forbidden("This token does not reach new organizations. Use one that is not narrowed to organizations.");
  if (limits.ceiling !== null && limits.ceiling.OrganizationView !== "Write")
    throw forbidden("This token is narrowed to capabilities without Write of OrganizationView. Use one that has it.");
}
