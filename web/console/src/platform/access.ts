import { effect, signal } from "@preact/signals";
import { COMMON } from "#texts/common.ts";
import type { Organization } from "../../../../client/src/index.ts";
import { REPORTS, SETTINGS, TEMPLATES } from "../../../../src/platform/paths.ts";
import { toast } from "../../../ui/notice.tsx";
import { gathered, listenedPlaces, onEvent, tell, untakenRevocations } from "./live/index.ts";
import { address } from "./router.ts";
import { organizations, readOrganizations } from "./workspace.ts";

/*
 * What the person sees ends with their access. The shell makes its view again when this number grows: what the person
 * may still see is read again, and everything else is gone, whichever view it is. A view that hears
 * `SubscriptionRevoked` closes itself.
 */
export const accessTurn = signal(0);
const turn = (): void => {
  // The last action and the title can name what is gone. The view sets its title again.
  toast.value = null;
  document.title = COMMON.product;
  accessTurn.value++;
};

/** The number of pages that only say that the person may not see something. */
let closed = 0;
/** Notes such a page. @returns a function that ends this */
export function noteClosed(): () => void {
  closed++;
  return () => {
    closed--;
  };
}

/** The rights of the person in an organization; undefined without it. */
const standingIn = (all: readonly Organization[] | null, id: string): string | undefined => {
  const found = all?.find((one) => one.id === id);
  return found && JSON.stringify([found.role, found.capabilities]);
};

/** Views of the person and of organizations: they have fields that a person fills, and nothing of a location. */
const PLACELESS = [SETTINGS, "/console/admin", TEMPLATES, `${REPORTS}/new-template`];
const hasPlaces = (): boolean => !PLACELESS.some((path) => address.peek().pathname.startsWith(path));

/**
 * Reads the organizations again, and makes the view again if the person has another standing in one that the view was made with. The
 * organizations of the moment before the answer count: others may have been read, or made by the person, since the question.
 */
async function compare(isCertain: boolean): Promise<void> {
  const before = await readOrganizations();
  const now = organizations.peek();
  const isOther = before?.some(({ id }) => standingIn(before, id) !== standingIn(now, id)) === true;
  const places = listenedPlaces.peek();
  // The service names the joined locations that are lost. A view that has joined none shows places in another way.
  const mayShowMore = isCertain && hasPlaces() && places.size === 0;
  if (isOther || mayShowMore) {
    if (closed === 0) turn();
  } else if (isCertain) {
    // A location that is still visible can have lost its documents, cameras, reports or annotations.
    for (const locationId of places) tell({ kind: "Stale", locationId });
  }
}

/** Watches for the end of access. */
export function watchAccess(): void {
  onEvent(
    ["AccessChanged"],
    [],
    gathered(() => void compare(true)),
  );
  onEvent(["Stale"], [], ({ locationId }) => locationId === null && void compare(false));
  let known = untakenRevocations.peek();
  effect(() => {
    const count = untakenRevocations.value;
    if (count !== known) turn();
    known = count;
  });
}
