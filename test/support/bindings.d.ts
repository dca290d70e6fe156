declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    /** The seed of property tests. */
    PROPERTY_SEED: number;
    /** Databases that the service does not know: a directory and five workspace databases. */
    D1_DIRECTORY: D1Database;
    D1_FIRST: D1Database;
    D1_SECOND: D1Database;
    D1_THIRD: D1Database;
    D1_FOURTH: D1Database;
    D1_FIFTH: D1Database;
    /** The bucket of the second and the fourth of these databases. */
    BUCKET_SECOND: R2Bucket;
    /** Number of workspace databases of the service in this project. With several, it has a directory too. */
    DATABASE_COUNT: number;
    /** A bucket for backups, which the service does not know. */
    TEST_BACKUPS: R2Bucket;
    TEST_METRICS: AnalyticsEngineDataset;
    TEST_DOCUMENTS: Record<string, string>;
    /** Multiplies the number of random worlds. */
    WORLD_FACTOR: number;
  }
}
