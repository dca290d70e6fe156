export { askerOf, type MissingImage, withoutLostFrames } from "./images";
export { reportInputSchema } from "./layout";
export { digestOf, prepareReport, renderInput, renderReport } from "./render";
