export { backfillAssets, indexAsset } from "./assets";
export { backfillDocuments } from "./backfill";
export { indexDocument } from "./documents";
export { indexGuests } from "./guests";
export { mergeIndex } from "./merge";
export { FIRST_PLACE, type IndexPlace, indexPlaceSchema, indexWorkspace, removeIndex } from "./moved";
export { indexShared } from "./shared";
export { ASSET_SOURCES, ASSET_TYPES } from "./sources";
