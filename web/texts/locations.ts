import { some } from "./common.ts";

/** The texts of the list of locations. */
export const LOCATIONS = {
  title: "Locations",
  count: (locations: number, clusters: number) =>
    `${some(locations, "location", "locations")} in ${some(clusters, "cluster", "clusters")}`,
  create: "New location",
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
  toLocations: "Go to your locations",
  loading: "Opening the location…",
};
