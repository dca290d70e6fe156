export { deleteTree, expireSharing, type Tree, type TreePart } from "./deletion";
export { chargeJob } from "./entitlements";
export { baseRevisionSchema, editableFields, idKey, nameSchema, organizationIdSchema } from "./fields";
export { invitationRedeemer } from "./invitations";
export { fewerThan, noRoom } from "./limits";
export { type LocatedAccess, loadAccessAtLocation } from "./located-access";
export {
  type ClusterRow,
  clusterLives,
  findLocation,
  type LocationRow,
  locationLives,
  locationStands,
  organizationExists,
  placeOfCluster,
  placeOfLocation,
  placeOfOrganization,
  queueAssetIndex,
  requireCluster,
  requireLocation,
} from "./spatial";
export {
  deletionQuery,
  emptyTrash,
  findInTrash,
  holderGone,
  notInTrash,
  purge,
  putInTrash,
  requireLivingHolder,
  requireOwner,
  takeOutOfTrash,
} from "./trash";
