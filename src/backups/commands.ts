/** What the commands of `scripts/backup` use. */
export { BackupError, readManifests } from "./format";
export { importWorkspace } from "./import";
export { removeBackups } from "./remove";
export { chooseBackup, restoreBackup } from "./restore";
export { beginBackup, takeBackup } from "./take";
