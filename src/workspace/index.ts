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
export { emptyTrash, purge, requireOwner } from "./trash/purge";
export { putInTrash } from "./trash/put";
export { deletionQuery } from "./trash/query";
export { findInTrash, holderGone, notInTrash, requireLivingHolder, takeOutOfTrash } from "./trash/take";
