export { cameraPart } from "./tree";
