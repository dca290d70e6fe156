/** The newest file of `migrations/`. A test compares the two. The service needs the schema that this file completes. */
export const SCHEMA_VERSION = "0043_contained_files.sql";
