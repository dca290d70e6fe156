export { answerArrival, arrivalDeletion, expireArrivals, fileArrival, receiveMail } from "./arrivals";
export { takeOutFilesJob } from "./contained";
export { deriveImages, deriveNow } from "./derivatives/derivatives";
export {
  checksumSchema,
  type DocumentRow,
  documentPath,
  fileNameSchema,
  queueRecognition,
  SHAREABLE_DOCUMENTS,
} from "./document";
export { documentDownloads } from "./downloads/link";
export { extractDocument, queueExtraction, removeOlderSections } from "./extraction";
export { changeFolderJob, expireFolders } from "./folders";
export { documentDeletion } from "./library";
export { MAX_FULL_NAME_BYTES } from "./limits";
export { documentMessages } from "./messages";
export { openRecognizer, recognizeAgain, recognizeDocument, resumeRecognition } from "./recognition";
export { sortDocuments } from "./sorting/sorting";
export { tagWord } from "./tags/tags";
export { documentUploads } from "./uploads/uploads";
export { addGeneratedVersion } from "./versions/versions";
