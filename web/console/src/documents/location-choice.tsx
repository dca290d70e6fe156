import { useState } from "preact/hooks";
import { VIEWER } from "#texts/viewer.ts";
import { Choice } from "../../../ui/form.tsx";
import { useLoaded } from "../../../ui/loading.ts";
import { readTargets } from "./targets.ts";

/** What the client sends as the folder of a document, from what a person has written. */
export const folderOf = (written: string): string => written.trim().replace(/^\/+|\/+$/g, "");

/** The choice of another location of the workspace; it is not shown where there is one location. `target` is the chosen location. */
export function useLocationChoice({
  organizationId,
  locationId,
}: {
  organizationId: string | null;
  locationId: string;
}) {
  const [target, setTarget] = useState(locationId);
  const { data: targets } = useLoaded(`targets ${organizationId}`, () => readTargets(organizationId));
  const field = targets !== undefined && targets.length > 1 && (
    <Choice
      label={VIEWER.location}
      name="location"
      options={targets.map(({ id: value, name: label }) => ({ value, label }))}
      value={target}
      onChange={setTarget}
    />
  );
  return { field, change: target !== locationId && { locationId: target } };
}
