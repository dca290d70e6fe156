export { expireSharing } from "./deletion/expire-sharing";
export { deleteTree, type Tree, type TreePart } from "./deletion/tree";
export { chargeJob } from "./entitlements/usage";
export { baseRevisionSchema, editableFields, idKey, nameSchema, organizationIdSchema } from "./fields";
export { queueAssetIndex } from "./indexing";
export { invitationRedeemer } from "./invitations/redeem";
export { clusterLives, locationLives, locationStands, organizationExists } from "./living";
export { type LocatedAccess, loadAccessAtLocation } from "./located-access";
export {
  type ClusterRow,
  findLocation,
  type LocationRow,
  placeOfCluster,
  placeOfLocation,
  placeOfOrganization,
  requireCluster,
  requireLocation,
} from "./places";
export { fewerThan, noRoom } from "./room";
export { announceLevel } from "./storage/levels";
export { giveUpObjects, holdObjects, keepHeld, keepObject } from "./storage/objects";
export { purgeObjects } from "./storage/purge";
export { requireRoom, type StorageTenant } from "./storage/quota";
export { emptyTrash, purge, requireOwner } from "./trash/purge";
export { putInTrash } from "./trash/put";
export { deletionQuery } from "./trash/query";
export { findInTrash, holderGone, notInTrash, requireLivingHolder, takeOutOfTrash } from "./trash/take";
export { beginVerification, refreshAddress } from "./uploads/begin";
export { completeUpload } from "./uploads/complete";
export { findUpload } from "./uploads/find";
export {
  type ExaminedPurpose,
  type UploadPurpose,
  UploadRejection,
  type UploadRow,
  type UploadVerdict,
  type VerifiedBytes,
} from "./uploads/purpose";
export { startUpload, UPLOAD_LIFETIME } from "./uploads/start";
export { cancelUploads, endUpload, endUploads, expireUploads } from "./uploads/sweep";
export { verifyUpload } from "./uploads/verify";
