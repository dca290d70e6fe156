export { askerOf, type MissingImage, withoutLostFrames } from "./images";
export { PAGE_POLICY } from "./inert";
export { reportInputSchema } from "./layout";
export { digestOf, prepareReport, renderInput, renderReport } from "./render";
