export { deriveImages } from "./derivatives/derivatives";
export {
  checksumSchema,
  type DocumentRow,
  documentPath,
  type FoundDocument,
  fileNameSchema,
  fullName,
  requireDocument,
  SHAREABLE_DOCUMENTS,
  type VersionRow,
} from "./document";
export { documentDownloads } from "./downloads/link";
export { extractDocument, queueExtraction, removeOlderSections } from "./extraction";
export { documentDeletion } from "./library/deletion";
export { MAX_FULL_NAME_BYTES } from "./limits";
export { documentMessages } from "./messages";
export { openRecognizer, recognizeDocument, resumeRecognition } from "./recognition";
export { documentUploads } from "./uploads/uploads";
export { addGeneratedVersion } from "./versions/versions";
