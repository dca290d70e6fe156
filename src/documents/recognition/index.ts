export { recognizeDocument } from "./job";
export { openRecognizer } from "./recognizer";
export { recognizeAgain, resumeRecognition } from "./resume";
