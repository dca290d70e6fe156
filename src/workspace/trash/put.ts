import type { Context } from "../../platform/context";
import type { Change } from "../../platform/db/change";
import { newId } from "../../platform/ids";
import { DAY } from "../../platform/time";
import { type TrashKind, trash } from "../tables";

/** A thing as the trash remembers it: its own id is the narrowest. */
export interface Trashed {
  kind: TrashKind;
  id: string;
  tenantId: string;
  organizationId: string | null;
  clusterId: string;
  locationId: string | null;
  documentId: string | null;
  /** What people know it by. */
  name: string;
}

/** Keeps a thing that this change deletes until the recovery window ends. */
export function putInTrash({ db, now, settings }: Context, change: Change, { id, ...thing }: Trashed): void {
  const purgeAt = now + settings.RECOVERY_WINDOW_DAYS * DAY;
  change.add(db.insert(trash).values({ id: newId(), resourceId: id, ...thing, deletedAt: now, purgeAt }));
}
