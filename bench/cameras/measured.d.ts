import "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** The counters of a benchmark of cameras. */
    counted?: Record<string, number>;
  }
}
