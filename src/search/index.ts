export {
  backfillAssets,
  backfillDocuments,
  FIRST_PLACE,
  type IndexPlace,
  indexAsset,
  indexDocument,
  indexGuests,
  indexPlaceSchema,
  indexShared,
  indexWorkspace,
  mergeIndex,
  removeIndex,
} from "./indexing";
export { expireSearches } from "./telemetry";
export { nameMatcher } from "./text";
