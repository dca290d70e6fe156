export { changeFolderJob, expireFolders } from "./job";
