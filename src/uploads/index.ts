export { UPLOAD_LIFETIME_MS } from "./limits";
export {
  type ExaminedPurpose,
  type UploadPurpose,
  UploadRejection,
  type UploadRow,
  type UploadVerdict,
  type VerifiedBytes,
} from "./purpose";
export { announceStorageLevel, requireFreeStorage, type StorageTenant } from "./quota";
export {
  confirmPendingObjects,
  forgetPendingObject,
  purgeObjects,
  registerObject,
  registerPendingObjects,
  releaseObjects,
} from "./stored-objects";
export { cancelUploads, endUploads, expireUploads, expireUploadsIn, moveUploads, removeTenantUploads } from "./sweep";
export {
  beginVerification,
  completeUpload,
  findUpload,
  renewUploadUrl,
  startUpload,
  verifyAgain,
} from "./uploads";
export { readStorageByKind } from "./use";
export { verifyUpload } from "./verify";
