export {
  labelOf,
  type Reader,
  type ResolvedImage,
  readerOf,
  readImageValue,
  resolvedImageSchema,
  resolveImages,
  wishKey,
  withoutLostFrames,
} from "./resolve";
export { keptKey, type MissingImage, type Supplied, type SupplyMode, supplyImages, type WantedImage } from "./supply";
