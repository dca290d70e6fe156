import { computed, effect, signal } from "@preact/signals";
import { SHELL } from "#texts/shell.ts";
import { dataOf, eachItem, type Membership, type Organization } from "../../../../client/src/index.ts";
import { ORGANIZATION_FIELD } from "../../../../src/platform/paths.ts";
import { address } from "./router.ts";
import { api } from "./session.ts";

/** The value for the personal workspace, in the switcher and in list queries. */
export const PERSONAL = "personal";
const KEY = "organization";

/** The organizations of the person; null before they are read. */
export const organizations = signal<Organization[] | null>(null);
/** The organizations that show nothing to this session, because they require a passkey or a second factor. */
export const barred = signal<readonly Membership[]>([]);
/** Their names, for a sentence. */
export const barredNames = computed(() => barred.value.map(({ organizationName }) => organizationName).join(", "));
const chosenId = signal<string>(localStorage.getItem(KEY) ?? "");

/** The organization that the console shows; null for the personal workspace. */
export const organization = computed<Organization | null>(() => {
  const all = organizations.value ?? [];
  if (chosenId.value === PERSONAL) return null;
  return all.find(({ id }) => id === chosenId.value) ?? all[0] ?? null;
});

export const organizationName = computed(() => organization.value?.name ?? SHELL.personal);
/** The value of the query field `organizationId`. */
export const organizationQuery = computed(() => organization.value?.id ?? PERSONAL);

/** The last shown organization is not secret. It is kept for the next visit. */
export function chooseOrganization(id: string): void {
  chosenId.value = id;
  localStorage.setItem(KEY, id);
}

/** An address can choose the organization, for example the address in a notification. */
effect(() => {
  const chosen = address.value.searchParams.get(ORGANIZATION_FIELD);
  if (chosen !== null) chooseOrganization(chosen);
});

/** The reason why the organizations could not be read; null if they were read. */
export const organizationsError = signal<unknown>(null);

/**
 * Reads the organizations again.
 * @returns those that were known in the moment before; null if none were read before, or if the reading failed
 */
export async function readOrganizations(): Promise<Organization[] | null> {
  organizationsError.value = null;
  try {
    const all: Organization[] = [];
    const pages = eachItem((cursor) => dataOf(api.GET("/v1/orgs", { params: { query: { limit: 100, cursor } } })));
    const profile = dataOf(api.GET("/v1/auth/me"));
    // It is awaited below: until then, nobody else hears of a failure.
    profile.catch(() => undefined);
    for await (const one of pages) all.push(one);
    barred.value = (await profile).needsSecondFactor;
    const before = organizations.peek();
    organizations.value = all;
    return before;
  } catch (thrown) {
    organizationsError.value = thrown;
    return null;
  }
}
