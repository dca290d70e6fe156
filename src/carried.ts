import { accessOfDirectory, accessOfPerson, accessOfWorkspace } from "./access/carry";
import { brandingTables } from "./branding/carry";
import { camerasTables, movedExportsOfImages } from "./cameras/carry";
import { documentsTables } from "./documents/carry";
import { eventsTables } from "./events/carry";
import { movedExports } from "./exports/carry";
import { inboxOfPerson, notificationsOfService, notificationsTables } from "./notifications/carry";
import { carriedOfService, carriedOfWorkspace, movedJobs } from "./platform/carry";
import { type Carried, withoutSecrets } from "./platform/db/carry/declare";
import { movedRooms, reportsTables } from "./reports/carry";
import { searchOfService, searchTables } from "./search/carry";
import { uploadsTables } from "./uploads/carry";
import { webhooksTables } from "./webhooks/carry";
import { workspaceTables } from "./workspace/carry";

/** The rows of one workspace. A table comes after the tables that it refers to. */
export const OF_WORKSPACE: readonly Carried[] = [
  ...accessOfWorkspace,
  ...workspaceTables,
  ...uploadsTables,
  ...documentsTables,
  ...brandingTables,
  ...searchTables,
  ...camerasTables,
  ...notificationsTables,
  ...reportsTables,
  ...eventsTables,
  ...webhooksTables,
  ...carriedOfWorkspace,
];

/** The rows that move with a workspace to another database: also those that a backup leaves, because its work goes on. */
export const MOVED: readonly Carried[] = [
  ...OF_WORKSPACE,
  ...movedExportsOfImages,
  ...movedExports,
  movedRooms,
  movedJobs,
];

/** The rows that end with a workspace: a person's inbox ends with the personal workspace. */
export const REMOVED: readonly Carried[] = [...OF_WORKSPACE, inboxOfPerson];

/** The rows of the directory. */
export const OF_DIRECTORY: readonly Carried[] = [...accessOfDirectory, ...carriedOfService];

/** The rows of the directory, and the other rows that belong to no workspace. */
export const OF_SERVICE: readonly Carried[] = [...OF_DIRECTORY, ...searchOfService, ...notificationsOfService];

/** Tables that are not carried, each with the reason. */
export const NOT_CARRIED: Readonly<Record<string, string>> = {
  residents: "whoever carries a workspace sets its state",
  search_scopes: "the index is built again",
  search_groups: "the index is built again",
  search_entries: "the index is built again",
  search_rows: "the index is built again",
  search_guests: "the index is built again, and a trigger adds the guests with their grants",
  search_guest_targets: "the index is built again",
  search_guest_sums: "the index is built again",
  camera_captures: "a view of camera_frames",
  camera_exports: "prepared for some hours, and prepared again on request",
  camera_export_pages: "prepared for some hours, and prepared again on request",
  workspace_exports: "prepared for some hours, and prepared again on request",
  workspace_export_pages: "prepared for some hours, and prepared again on request",
  database_sizes: "the sizes of the databases of this installation",
  backups: "the backups of this installation; their bucket has them",
  report_room_members: "who is in a room now",
  walks: "a restored service walks again",
  moves: "a restored service has each workspace in one place",
  job_lanes: "the progress of the lanes now",
  committed_requests: "as long as their keys, some hours",
  idempotency_keys: "some hours",
  rate_windows: "some minutes",
  passkey_challenges: "some minutes",
  password_resets: "one hour, and a restored link would open an account",
};

/** Tables of a workspace that an export for people does not have, by the id of their declaration, each with the reason. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  "people.searches": "what a member searches for is only theirs",
  "notifications.events": "the inbox of a member is only theirs",
  search_impressions: "what a member searches for is only theirs",
  search_impression_organizations: "what a member searches for is only theirs",
  search_interactions: "what a member searches for is only theirs",
  stored_objects: "keys of the bucket, and the files are in the export",
  uploads: "uploads that are under way or have ended, some days",
  camera_cleanups: "work of the service",
  jobs: "work of the service",
};

/** The rows of an export: of a workspace, and in addition of the person whose personal workspace it is. */
export const EXPORTED = {
  workspace: OF_WORKSPACE.filter(({ id }) => !(id in NOT_EXPORTED)).map(withoutSecrets),
  person: {
    directory: accessOfPerson.directory.map(withoutSecrets),
    workspace: [...accessOfPerson.workspace, inboxOfPerson].map(withoutSecrets),
  },
};
