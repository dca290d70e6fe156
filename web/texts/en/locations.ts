import { number, some } from "./language.ts";

/** The words of a sentence before and after the link to its subject. */
type Around = readonly [before: string, after: string];

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

/** The texts of the map of locations. */
export const MAP = {
  label: "Map of the locations. The arrow keys move it, plus and minus zoom.",
  list: "Locations on the map",
  forms: "Form of the page",
  asList: "List",
  asMap: "Map",
  closer: "Zoom in",
  further: "Zoom out",
  all: "Show all locations",
  cluster: (locations: number, troubled: number) =>
    troubled === 0
      ? some(locations, "location", "locations")
      : `${some(locations, "location", "locations")}, ${number(troubled)} with silent cameras`,
  shown: (locations: number) => `${some(locations, "location", "locations")} in this part of the map`,
  silent: (cameras: number) => some(cameras, "silent camera", "silent cameras"),
  cameras: (cameras: number) => some(cameras, "camera", "cameras"),
  unread: (notes: number) => `${number(notes)} unread`,
  calm: "Nothing new",
  unplaced: "Without a place on the map",
  unplacedHelp: "Give a location its latitude and longitude with Edit on its page.",
  none: "No location is in this part of the map.",
  stateFailed: "The state of the locations could not be read",
  first: (locations: number) => `The map shows the first ${number(locations)} locations.`,
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
  latest: "Latest pictures",
  onMap: "Show it on the map of all locations",
  allCameras: (cameras: number) => `All ${some(cameras, "camera", "cameras")}`,
  somebody: "Somebody",
  happened: {
    document: (who: string): Around => [`${who} added `, "."],
    version: (version: number): Around => ["", ` has its version ${number(version)}.`],
    annotation: (): Around => ["The annotation ", " was added."],
    annotationChanged: (): Around => ["The annotation ", " was changed."],
    report: (): Around => ["The report ", " was begun."],
    reportChanged: (): Around => ["The report ", " was changed."],
    silent: (): Around => ["", " fell silent."],
  },
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

/** The texts of the window for files that a phone shares. */
export const SHARED = {
  title: "Add the shared files",
  help: (files: number) => `${some(files, "file", "files")} from this device. Choose the location that gets them.`,
  location: "Location",
  send: "Add them here",
  none: "No file has arrived. Share it again from the other application.",
  failed: "The files were not added",
  nowhere: "You may not add documents to any location of this workspace.",
};
