export {
  MAX_SIGNED_PARTS,
  TRANSFER_GRACE_MS,
  UPLOAD_LIFETIME_MS,
  UPLOAD_URL_LIFETIME_MS,
  VERIFICATION_GRACE_MS,
} from "./limits";
export { partCount, receivedParts, signParts, stagedUploads } from "./parts";
export { type UploadPurpose, UploadRejection, type UploadRow } from "./purpose";
export { announceLevel, announceStorageLevel, requireFreeStorage, selectStorage } from "./quota";
export {
  confirmPendingObjects,
  countToPurge,
  forgetPendingObject,
  purgeObjects,
  registerPendingObjects,
  releaseObjects,
  TEMPORARY_PREFIX,
} from "./stored-objects";
export {
  cancelUploads,
  expireTenantUploads,
  expireUploads,
  expireUploadsIn,
  moveUploads,
  removeTenantUploads,
} from "./sweep";
export {
  cancelUpload,
  completeUpload,
  findUpload,
  resumeUpload,
  resumeUploadInParts,
  startUpload,
  startUploadInParts,
  transferFields,
  uploadStatusSchema,
} from "./uploads";
export { readStorageByKind } from "./use";
export { verifyUpload } from "./verify";
