/** The newest file of `migrations/`. A test compares the two. The service needs the schema that this file completes. */
export const SCHEMA_VERSION = "0042_recognition_languages.sql";
