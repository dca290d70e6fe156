declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    /** The seed of property tests. */
    PROPERTY_SEED: number;
    TEST_DOCUMENTS: Record<string, string>;
    /** Number of random worlds for the tests of the hub. */
    HUB_WORLDS: number;
  }
}
