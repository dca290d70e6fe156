export { expireCaptures, removeCaptures } from "./retention";
