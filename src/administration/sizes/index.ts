export { readGrowth, tellDatabaseLevel, watchDatabases } from "./sizes";
