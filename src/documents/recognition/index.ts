export { recognizeDocument } from "./job";
export { openRecognizer } from "./recognizer";
export { resumeRecognition } from "./resume";
