export { cleanCaptures, clearStaging } from "./clean";
export {
  cancelOperations,
  cancelTransfers,
  captureIdOf,
  expiryOf,
  hasPendingOperations,
  isUnfinished,
  rejectionSchema,
} from "./operations";
export { verifyCapture } from "./verification";
