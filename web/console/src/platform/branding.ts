import { effect, signal } from "@preact/signals";
import { type Branding, dataOf } from "../../../../client/src/index.ts";
import { showAccent } from "../../../ui/accent.ts";
import { api, session } from "./session.ts";
import { organization } from "./workspace.ts";

/*
 * The accent of the console is the organization's primary colour, in each theme in which its contrast is sufficient for
 * text. Otherwise it is the accent of tokens.css.
 */

/** The branding of the organization that the console shows; null before it is read, and in a personal workspace. */
export const branding = signal<Branding | null>(null);

effect(() => showAccent(branding.value?.primaryColor ?? null));

effect(() => {
  const organizationId = session.value === null ? undefined : organization.value?.id;
  if (branding.peek()?.organizationId === organizationId) return;
  branding.value = null;
  if (organizationId === undefined) return;
  dataOf(api.GET("/v1/orgs/{organizationId}/branding", { params: { path: { organizationId } } })).then(
    (read) => {
      if (organization.peek()?.id === organizationId) branding.value = read;
    },
    // Without it, the console has its own colours.
    () => undefined,
  );
});
