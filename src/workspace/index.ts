export { loadAccessAtLocation } from "./access-at-location";
export { type DeletedTree, type DeletionStep, deleteTree, expireSharing, hasLocations } from "./deletion";
export { chargeJobs, entitlementsSchema, freeJobs, monthOf } from "./entitlements/entitlements";
export {
  baseRevisionSchema,
  editableFields,
  idKey,
  levelsSchema,
  levelsTag,
  nameSchema,
  organizationIdSchema,
} from "./fields";
export { allKinds, type ShareableKind } from "./grantable";
export { endSeveral, type GrantOutcome, shareSeveral, type VisiblePaths } from "./grants/several";
export { invitationRedeemer, settleInvitation } from "./invitations/registrations";
export { giveWaitingShares, mailWaitingShare } from "./invitations/waiting-jobs";
export { fewerThan, limitReached } from "./limits";
export { deleteAccountJob } from "./members/account";
export { followClaims } from "./members/claims";
export type { MadeLinks } from "./members/members";
export { workspaceMessages } from "./messages";
export { mailOwners } from "./owner-mails";
export { removeWorkspace } from "./removal/removal";
export {
  findLocation,
  type LocationRow,
  locationExists,
  locationPath,
  locationUnchanged,
  organizationExists,
  organizationPath,
  requireLocation,
  type SpatialQuery,
  spatialQuery,
  tenantFilter,
  within,
} from "./spatial";
export {
  deletionQuery,
  emptyTrash,
  findInTrash,
  finishDeletion,
  isAsRead,
  notInTrash,
  parentDeleted,
  removeFromTrash,
  requireExistingParent,
  requireOwnerOf,
  requirePurgeable,
} from "./trash/trash";
