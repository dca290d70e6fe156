import type { ComponentChildren } from "preact";
import { WALL } from "#texts/cameras.ts";
import { adminPath } from "../../../../src/platform/paths.ts";
import { useLoaded } from "../../../ui/loading.ts";
import { CalmCard } from "../../../ui/notice.tsx";
import { session } from "../platform/session.ts";
import { organization, organizationName } from "../platform/workspace.ts";
import { readEntitlements } from "./settings-fields.tsx";

/** Why there are no cameras, and the next step. `create` is the button for the first one; null if the person may not. */
export function NoCameras({ create }: { create: ComponentChildren }) {
  const present = organization.value;
  const entitlements = useLoaded(present?.id ?? "", async () =>
    present === null ? null : await readEntitlements(present.id).catch(() => null),
  );
  if (entitlements.data === undefined) return null;
  const name = organizationName.value;
  const isOff = entitlements.data?.cameras === false;
  const isAdmin = session.value?.user.isAdmin === true;
  const help = (): string => {
    if (present === null) return WALL.personal;
    if (!isOff) return create === null ? WALL.noneReadOnly : WALL.noneHelp;
    if (isAdmin) return WALL.offForAdmin;
    return present.role === "owner" || present.role === "admin" ? WALL.offForOwner(name) : WALL.offForMember(name);
  };
  return (
    <CalmCard icon="camera" title={isOff ? WALL.off(name) : WALL.none(name)} help={help()}>
      {!isOff && create}
      {isOff && isAdmin && (
        <a class="btn primary" href={adminPath("organizations")}>
          {WALL.switchOn}
        </a>
      )}
    </CalmCard>
  );
}
