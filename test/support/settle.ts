import { env } from "cloudflare:workers";
import { afterAll, expect, vi } from "vitest";

/*
 * The jobs that a file's tests caused end with it: one that still ran while the runtime is taken down
 * would write its log line to nobody, which fails the run.
 */
afterAll(() =>
  vi.waitFor(
    async () => {
      await env.DB.prepare("DELETE FROM jobs WHERE status = 'queued'").run();
      const running = await env.DB.prepare("SELECT count(*) AS n FROM jobs WHERE status = 'running'").first("n");
      expect(running).toBe(0);
    },
    { timeout: 15_000, interval: 50 },
  ),
);
