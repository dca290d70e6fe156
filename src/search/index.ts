export { backfillAssets, backfillDocuments, indexAsset, indexDocument, indexShared } from "./indexing";
export { expireSearches } from "./telemetry";
