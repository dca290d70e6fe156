export {
  backfillAssets,
  backfillDocuments,
  indexAsset,
  indexDocument,
  indexGuests,
  indexShared,
  mergeIndex,
} from "./indexing";
export { expireSearches } from "./telemetry";
export { nameMatcher } from "./text";
