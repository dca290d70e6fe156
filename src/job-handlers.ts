import { accessJobs } from "./access";
import { brandingUploads } from "./branding";
import {
  cameraDeletion,
  cameraMessages,
  captureOperationDeletion,
  captureUploads,
  expireCaptures,
  expireExports,
  expireShares,
  prepareExport,
  watchCameras,
} from "./cameras";
import {
  deriveImages,
  documentDeletion,
  documentMessages,
  documentUploads,
  extractDocument,
  SHAREABLE_DOCUMENTS,
} from "./documents";
import { announce } from "./events";
import { liveConnections } from "./hub";
import { expireNotifications, inbox } from "./notifications";
import { expireRequests } from "./platform/jobs/expire-requests";
import type { JobHandlers } from "./platform/jobs/handlers";
import { endReportRooms, printReport, reportDeletion, reportMessages, reportRooms } from "./reports";
import { backfillAssets, backfillDocuments, expireSearches, indexAsset, indexDocument, indexShared } from "./search";
import { expireUploads, purgeObjects, verifyUpload } from "./uploads";
import { deleteTree, emptyTrash, expireSharing, workspaceMessages } from "./workspace";

/** What may be uploaded: each purpose with the feature that publishes it. */
const uploadPurposes = [documentUploads, captureUploads, brandingUploads];

/** The messages that people get, from the features whose events they are about. */
const messages = {
  ...workspaceMessages([SHAREABLE_DOCUMENTS]),
  ...documentMessages,
  ...cameraMessages,
  ...reportMessages,
};

/** Who does which work: every kind has its handler, in the feature that owns it. */
export const jobHandlers: JobHandlers = {
  ...accessJobs,
  // platform
  "expire-requests": expireRequests,
  // events: the subscribers receive each event in this order.
  announce: announce([liveConnections, reportRooms, inbox(messages)]),
  // uploads
  "verify-upload": verifyUpload(uploadPurposes),
  "expire-uploads": expireUploads(uploadPurposes),
  "purge-objects": purgeObjects,
  // workspace
  "expire-sharing": expireSharing,
  "empty-trash": emptyTrash,
  // Features above workspace provide the steps for their own rows, contents before their container.
  "delete-tree": deleteTree([reportDeletion, captureOperationDeletion, cameraDeletion, documentDeletion]),
  // notifications
  "expire-notifications": expireNotifications,
  // documents
  "extract-document": extractDocument,
  "derive-images": deriveImages,
  // reports
  "end-report-rooms": endReportRooms,
  "print-report": printReport,
  // search
  "index-document": indexDocument,
  "index-asset": indexAsset,
  "index-shared": indexShared,
  "backfill-documents": backfillDocuments,
  "backfill-assets": backfillAssets,
  "expire-searches": expireSearches,
  // cameras
  "watch-cameras": watchCameras,
  "expire-camera-shares": expireShares,
  "prepare-export": prepareExport,
  "expire-exports": expireExports,
  "expire-captures": expireCaptures,
};
