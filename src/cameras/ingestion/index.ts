export { cancelOperations, cancelTransfers, hasPendingOperations } from "./cancel";
export { cleanFrames } from "./clean";
export { verifyCapture } from "./examine";
export { captureIdOf, expiryOf, isUnfinished, rejectionSchema } from "./operations";
export { clearStaging } from "./staging";
