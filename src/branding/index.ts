export { brandingDownloads, brandingUploads } from "./assets/assets";
export { brandingInputSchema, readBrandingInput } from "./fields";
export { openShareLogo, readShareBrand } from "./record";
export { brandingVariables } from "./variables";
