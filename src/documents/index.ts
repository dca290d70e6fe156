export { deriveImages } from "./derivatives/derivatives";
export {
  checksumSchema,
  type DocumentRow,
  type FoundDocument,
  fileNameSchema,
  fullName,
  LONGEST_FULL_NAME,
  placeOfDocument,
  requireDocument,
  type VersionRow,
} from "./document";
export { extractDocument, queueExtraction } from "./extraction/job";
export { documentPart } from "./library/tree";
export { documentUploads } from "./uploads/uploads";
export { addGeneratedVersion } from "./versions/versions";
