export { brandingUploads } from "./assets/purpose";
export { type BrandingInput, brandingInputSchema, readBrandingInput } from "./input";
export { brandingVariables } from "./variables";
