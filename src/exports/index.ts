export { expireWorkspaceExports } from "./exports";
export { exportMessages } from "./messages";
export { prepareWorkspaceExport } from "./prepare";
