export { deriveImages } from "./derivatives/derivatives";
export {
  checksumSchema,
  type DocumentRow,
  documentPath,
  type FoundDocument,
  fileNameSchema,
  fullName,
  MAX_FULL_NAME_BYTES,
  requireDocument,
  type VersionRow,
} from "./document";
export { extractDocument, queueExtraction } from "./extraction";
export { documentPart } from "./library/tree";
export { documentMessages } from "./messages";
export { documentUploads } from "./uploads/uploads";
export { addGeneratedVersion } from "./versions/versions";
