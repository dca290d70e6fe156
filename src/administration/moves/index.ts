export { moveWorkspace } from "./mover";
