export { type MissingImage, readerOf, withoutLostFrames } from "./images";
export { type ReportInput, reportInputSchema } from "./layout";
export { digestOf, prepareReport, renderInput, renderReport, renderSample, renderWith } from "./render";
