declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
    /** What property tests draw their cases from. */
    PROPERTY_SEED: number;
    TEST_DOCUMENTS: Record<string, string>;
    /** Random worlds that the hub is tried in. */
    HUB_WORLDS: number;
  }
}
