export { expireExports } from "./expire";
export { prepareExport } from "./prepare";
