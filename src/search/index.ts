export { backfillAssets, backfillDocuments, indexAsset, indexDocument, indexShared, mergeIndex } from "./indexing";
export { expireSearches } from "./telemetry";
export { nameMatcher } from "./text";
