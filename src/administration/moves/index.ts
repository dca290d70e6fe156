export { moveWorkspace } from "./mover";
export { moveRoutes } from "./routes";
