import type { ViewProps } from "../platform/lazy.tsx";
import { LocationsPage } from "./list.tsx";
import { LocationPage } from "./location.tsx";

/** The locations of the organization, or one location with a tab. */
export default function Locations({ path: [locationId, tab] }: ViewProps) {
  return locationId === undefined ? (
    <LocationsPage />
  ) : (
    <LocationPage key={locationId} locationId={locationId} tab={tab} />
  );
}
