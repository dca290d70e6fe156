export { backfillAssets, indexAsset } from "./indexing/assets";
export { backfillDocuments, indexDocument } from "./indexing/documents";
export { indexShared } from "./indexing/shared";
export { expireSearches } from "./telemetry/impressions";
