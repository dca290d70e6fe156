export { expireCaptures } from "./retention";
