export { indexAsset } from "./indexing/assets";
export { backfillAssets } from "./indexing/backfill-assets";
export { backfillDocuments } from "./indexing/backfill-documents";
export { indexDocument } from "./indexing/passages";
export { indexShared } from "./indexing/shared";
export { expireSearches } from "./telemetry/expire";
