export { cancelOperations, cancelTransfers, hasPendingOperations } from "./cancel";
export { cleanCaptures } from "./clean";
export { verifyCapture } from "./examine";
export { captureIdOf, expiryOf, isUnfinished, rejectionSchema } from "./operations";
export { clearStaging } from "./staging";
