export { removeCaptures } from "./remove";
export { expireCaptures } from "./sweep";
