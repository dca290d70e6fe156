export { brandingDownloads, brandingUploads } from "./assets/assets";
export { type BrandingInput, brandingInputSchema, readBrandingInput } from "./fields";
export { openShareLogo, readShareBrand } from "./record";
export { brandingVariables } from "./variables";
