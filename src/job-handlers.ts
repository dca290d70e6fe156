import { accessJobs } from "./access";
import { administrationMessages } from "./administration/messages";
import { moveWorkspace } from "./administration/moves";
import { tellDatabaseLevel, watchDatabases } from "./administration/sizes";
import { takeBackups, watchBackups } from "./backups";
import { brandingUploads } from "./branding";
import {
  cameraDeletion,
  cameraMessages,
  cleanCaptures,
  clearStaging,
  expireCaptures,
  expireExports,
  expireShares,
  prepareExport,
  verifyCapture,
  watchCameras,
} from "./cameras";
import { EXPORTED, MOVED, OF_DIRECTORY, OF_SERVICE, OF_WORKSPACE, REMOVED } from "./carried";
import {
  answerArrival,
  arrivalDeletion,
  changeFolderJob,
  deriveImages,
  documentDeletion,
  documentMessages,
  documentUploads,
  expireArrivals,
  expireFolders,
  extractDocument,
  fileArrival,
  recognizeAgain,
  recognizeDocument,
  resumeRecognition,
  SHAREABLE_DOCUMENTS,
  sortDocuments,
  takeOutFilesJob,
} from "./documents";
import { announce } from "./events";
import { expireWorkspaceExports, exportMessages, prepareWorkspaceExport } from "./exports";
import { liveConnections } from "./hub";
import { expireNotifications, inbox } from "./notifications";
import { expireJobs, expireRequests } from "./platform/jobs/expire-requests";
import type { JobHandlers } from "./platform/jobs/handlers";
import { endReportRooms, printReport, reportDeletion, reportMessages, reportRooms, templateDeletion } from "./reports";
import {
  backfillAssets,
  backfillDocuments,
  expireSearches,
  indexAsset,
  indexDocument,
  indexGuests,
  indexShared,
  mergeIndex,
} from "./search";
import { expireUploads, purgeObjects, verifyUpload } from "./uploads";
import { expireDeliveries, sendWebhooks, wakeWebhooks, webhookMessages, webhookSubscriber } from "./webhooks";
import {
  allKinds,
  deleteAccountJob,
  deleteTree,
  emptyTrash,
  expireSharing,
  giveWaitingShares,
  mailOwners,
  mailWaitingShare,
  removeWorkspace,
  settleInvitation,
  workspaceMessages,
} from "./workspace";

/** The purposes of uploads, each from the feature that publishes its files. */
const uploadPurposes = [documentUploads, brandingUploads];

/** The kinds of resources that people share. */
const shareable = allKinds([SHAREABLE_DOCUMENTS]);

/** The messages for users, from the features of their events. */
const messages = {
  ...workspaceMessages([SHAREABLE_DOCUMENTS]),
  ...documentMessages,
  ...cameraMessages,
  ...reportMessages,
  ...exportMessages,
  ...administrationMessages,
  ...webhookMessages,
};

/** The handler of every kind of job, from the feature that owns the work. */
export const jobHandlers: JobHandlers = {
  ...accessJobs,
  // platform
  "expire-requests": expireRequests,
  "expire-jobs": expireJobs,
  // events: the subscribers receive each event in this order. One that fails does not stop the next.
  announce: announce([liveConnections, reportRooms, inbox(messages), webhookSubscriber]),
  // uploads
  "verify-upload": verifyUpload(uploadPurposes),
  "expire-uploads": expireUploads(uploadPurposes),
  "purge-objects": purgeObjects,
  // workspace
  "expire-sharing": expireSharing,
  "empty-trash": emptyTrash,
  "settle-invitation": settleInvitation(shareable),
  "mail-waiting-share": mailWaitingShare(shareable),
  "give-waiting-shares": giveWaitingShares(shareable),
  // Features above workspace provide the steps for their own rows, contents before their container.
  "delete-tree": deleteTree([reportDeletion, templateDeletion, cameraDeletion, arrivalDeletion, documentDeletion]),
  "mail-owners": mailOwners,
  "delete-account": deleteAccountJob,
  "remove-workspace": removeWorkspace(REMOVED),
  "move-workspace": moveWorkspace(MOVED),
  // notifications
  "expire-notifications": expireNotifications,
  // documents
  "extract-document": extractDocument,
  "take-out-files": takeOutFilesJob,
  "recognize-document": recognizeDocument,
  "resume-recognition": resumeRecognition,
  "recognize-again": recognizeAgain,
  "derive-images": deriveImages,
  "sort-documents": sortDocuments,
  "change-folder": changeFolderJob,
  "expire-folders": expireFolders,
  "file-arrival": fileArrival,
  "answer-arrival": answerArrival,
  "expire-arrivals": expireArrivals,
  // reports
  "end-report-rooms": endReportRooms,
  "print-report": printReport,
  // search
  "index-document": indexDocument,
  "index-asset": indexAsset,
  "index-shared": indexShared,
  "index-guests": indexGuests,
  "backfill-documents": backfillDocuments,
  "backfill-assets": backfillAssets,
  "expire-searches": expireSearches,
  "merge-index": mergeIndex,
  // cameras
  "verify-capture": verifyCapture,
  "clean-frames": cleanCaptures,
  "clear-staging": clearStaging,
  "watch-cameras": watchCameras,
  "expire-camera-shares": expireShares,
  "prepare-export": prepareExport,
  "expire-exports": expireExports,
  "prepare-workspace-export": prepareWorkspaceExport(EXPORTED),
  "expire-workspace-exports": expireWorkspaceExports,
  // webhooks
  "send-webhooks": sendWebhooks,
  "wake-webhooks": wakeWebhooks,
  "expire-webhook-deliveries": expireDeliveries,
  // backups
  "take-backup": takeBackups({ workspace: OF_WORKSPACE, service: OF_SERVICE }, OF_DIRECTORY),
  "watch-backups": watchBackups,
  // administration
  "watch-databases": watchDatabases,
  "tell-database-level": tellDatabaseLevel,
  "expire-captures": expireCaptures,
};
