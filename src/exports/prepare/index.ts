export { prepareWorkspaceExport } from "./prepare";
