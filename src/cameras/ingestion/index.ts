export { cleanCaptures, clearStaging } from "./clean";
export { verifyCapture } from "./examine";
export {
  cancelOperations,
  cancelTransfers,
  captureIdOf,
  expiryOf,
  hasPendingOperations,
  isUnfinished,
  rejectionSchema,
} from "./operations";
