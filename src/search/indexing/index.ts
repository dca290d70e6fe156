export { backfillAssets, indexAsset } from "./assets";
export { backfillDocuments, indexDocument } from "./documents";
export { mergeIndex } from "./merge";
export { indexShared } from "./shared";
export { ASSET_SOURCES, ASSET_TYPES } from "./sources";
