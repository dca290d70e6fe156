export { backupStatusSchema, readBackupStatus, takeBackups, watchBackups } from "./nightly";
