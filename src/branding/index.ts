export { brandingUploads } from "./assets/purpose";
export { type BrandingInput, brandingInputSchema, readBrandingInput } from "./fields";
export { openShareLogo, readShareBrand } from "./share-brand";
export { brandingVariables } from "./variables";
