import { DomainError } from "../../platform/errors";

/** Refuses half a coordinate pair. @throws DomainError rule-violated. */
export function requirePair({ latitude, longitude }: { latitude: number | null; longitude: number | null }): void {
  if ((latitude === null) !== (longitude === null))
    throw new DomainError("rule-violated", "Send latitude and longitude together, or neither.");
}
