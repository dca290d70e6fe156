export {
  type ExaminedPurpose,
  type UploadPurpose,
  UploadRejection,
  type UploadRow,
  type UploadVerdict,
  type VerifiedBytes,
} from "./purpose";
export { announceLevel, requireRoom, type StorageTenant } from "./quota";
export { giveUpObjects, holdObjects, keepHeld, keepObject, purgeObjects } from "./stored-objects";
export { cancelUploads, endUpload, endUploads, expireUploads } from "./sweep";
export {
  beginVerification,
  completeUpload,
  findUpload,
  refreshAddress,
  startUpload,
  UPLOAD_LIFETIME,
} from "./uploads";
export { verifyUpload } from "./verify";
