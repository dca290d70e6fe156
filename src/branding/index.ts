export { brandingUploads } from "./assets/purpose";
export { type BrandingInput, brandingInputSchema, readBrandingInput } from "./fields";
export { brandingVariables } from "./variables";
