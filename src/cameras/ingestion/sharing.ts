import { MAX_REMEMBERED_INSTANCES, SHARED_IDENTITY_MEMORY_MS } from "../limits";
import type { DeviceReport } from "../tables";

/** Error code of a camera whose credential two devices use. */
export const IDENTITY_SHARED = "identity-shared";

type Instances = Pick<DeviceReport, "instances" | "sharedAt">;

/**
 * The instances of a device after a heartbeat. Each start of a device has another id, so an id that comes back after another
 * one is from a second device with a copy of the credential.
 */
export function afterHeartbeat(before: Instances | null, instanceId: string | undefined, now: number): Instances {
  const known = (before?.instances ?? []).filter(({ at }) => at > now - SHARED_IDENTITY_MEMORY_MS);
  const sharedAt = isRecent(before?.sharedAt, now) ? before?.sharedAt : undefined;
  if (instanceId === undefined) return { instances: known, ...(sharedAt !== undefined && { sharedAt }) };
  const isBack = known.findIndex(({ id }) => id === instanceId) > 0;
  const others = known.filter(({ id }) => id !== instanceId);
  const instances = [{ id: instanceId, at: now }, ...others].slice(0, MAX_REMEMBERED_INSTANCES);
  const shared = isBack ? now : sharedAt;
  return { instances, ...(shared !== undefined && { sharedAt: shared }) };
}

const isRecent = (at: number | undefined, now: number): boolean =>
  at !== undefined && at > now - SHARED_IDENTITY_MEMORY_MS;

/** Whether a heartbeat comes from another instance than the heartbeat before. */
export const isOtherInstance = (before: Instances | null, { instances }: Instances): boolean =>
  before?.instances?.[0]?.id !== instances?.[0]?.id;
