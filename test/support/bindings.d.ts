declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    /** The seed of property tests. */
    PROPERTY_SEED: number;
    TEST_DOCUMENTS: Record<string, string>;
    /** Multiplies the number of random worlds. */
    WORLD_FACTOR: number;
  }
}
