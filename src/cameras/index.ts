export { type FrameChoice, type FramePicture, framePictures, stillShown } from "./archive";
export { expireExports, prepareExport } from "./exports";
export { findCameraAt } from "./find";
export { watchCameras } from "./health";
export { captureUploads, operationPart } from "./ingestion";
export { cameraPart } from "./management";
export { authenticateDevice, DEVICE_SCHEME } from "./pairing";
export { expireCaptures } from "./retention";
export { authenticateShare, expireShares } from "./shares";
