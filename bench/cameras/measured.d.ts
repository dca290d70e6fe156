import "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** What a benchmark of cameras counted. */
    counted?: Record<string, number>;
  }
}
