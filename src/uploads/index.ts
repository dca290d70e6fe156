export { TRANSFER_GRACE_MS, UPLOAD_LIFETIME_MS, VERIFICATION_GRACE_MS } from "./limits";
export { type UploadPurpose, UploadRejection, type UploadRow, type VerifiedBytes } from "./purpose";
export {
  announceLevel,
  announceStorageLevel,
  requireFreeStorage,
  type StorageTenant,
  selectStorage,
} from "./quota";
export {
  confirmPendingObjects,
  forgetPendingObject,
  purgeObjects,
  registerObject,
  registerPendingObjects,
  releaseObjects,
} from "./stored-objects";
export { cancelUploads, expireUploads, expireUploadsIn, moveUploads, removeTenantUploads } from "./sweep";
export { cancelUpload, completeUpload, findUpload, resumeUpload, startUpload } from "./uploads";
export { readStorageByKind } from "./use";
export { verifyUpload } from "./verify";
