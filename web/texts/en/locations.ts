import { some } from "./language.ts";

/** The texts of the list of locations. */
export const LOCATIONS = {
  title: "Locations",
  count: (locations: number, clusters: number) =>
    `${some(locations, "location", "locations")} in ${some(clusters, "cluster", "clusters")}`,
  create: "New location",
  trash: "Trash",
  none: (name: string) => `No locations in ${name} yet`,
  noneHelp: "A location is a place with its documents. Create the first one.",
  noneReadOnly: "You see a location here when somebody creates it or shares it with you.",
  emptyCluster: "No locations in this cluster.",
  failed: "The locations could not be read",
  loading: "Reading your locations…",
};

/** The texts of the form for a new location. */
export const NEW_LOCATION = {
  title: "New location",
  name: "Name",
  address: "Address (optional)",
  cluster: "Cluster",
  newCluster: "New cluster…",
  clusterName: "Name of the new cluster",
  clusterHelp: "A cluster is a group of locations.",
  send: "Create the location",
  failed: "The location was not created",
};

/** The texts of a location. */
export const LOCATION = {
  back: "Locations",
  tabs: "Parts of the location",
  cameras: "Cameras",
  documents: "Documents",
  reports: "Reports",
  people: "People",
  failed: "This location could not be opened",
  gone: "You cannot see this location",
  goneHelp: "It was deleted, or nobody shares it with you any more.",
  revoked: (name: string | undefined) => `You no longer have access to ${name ?? "this location"}`,
  revokedHelp: (time: string) =>
    `Since ${time} it is deleted, or nobody shares it with you any more. The page is closed; your own documents elsewhere are not affected.`,
  overview: "Overview",
  overviewFailed: "The overview could not be read",
  annotations: "Annotations",
  lately: "Lately",
  nothingLately: "Nothing has changed here yet. Add documents, cameras, reports or annotations in their tabs.",
  annotationAdded: "was added",
  annotationChanged: "was changed",
  facts: "About the location",
  localTime: "Local time",
  plan: (points: number) =>
    points === 0
      ? "Plan around the location"
      : `Plan around the location, with ${some(points, "annotation", "annotations")}`,
  north: "N",
  edit: "Edit",
  remove: "Delete",
  removeTitle: "Delete the location?",
  removeHelp: (name: string) =>
    `“${name}” goes to the trash with its documents, cameras, reports and annotations. You can restore it from there for some weeks.`,
  removeFailed: "The location was not deleted",
  removed: (name: string) => `“${name}” is in the trash.`,
  restored: (name: string) => `“${name}” is back.`,
  restoreFailed: "The location was not restored",
  loading: "Opening the location…",
};

/** The texts of the form that changes a location. */
export const EDIT_LOCATION = {
  title: "Edit the location",
  name: "Name",
  address: "Address",
  description: "Description",
  latitude: "Latitude",
  longitude: "Longitude",
  timeZone: "Time zone",
  timeZoneHelp: "The dates of its reports and the times of its cameras use it.",
  noZone: "Not set (UTC)",
  send: "Save",
  failed: "The location was not changed",
};
