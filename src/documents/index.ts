export { deriveImages } from "./derivatives/job";
export { extractDocument, queueExtraction } from "./extraction/job";
export { type DocumentRow, type FoundDocument, placeOfDocument, requireDocument, type VersionRow } from "./find";
export { documentPart } from "./library/tree";
export { fileNameSchema, fullName, LONGEST_FULL_NAME } from "./names";
export { checksumSchema } from "./present";
export { documentUploads } from "./uploads/purpose";
export { addGeneratedVersion } from "./versions/generated";
