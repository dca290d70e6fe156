import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { eventually } from "./patience";

/*
 * Waits for the jobs of a file's tests. A job that still runs while the runtime stops would write a log line without a
 * reader, which fails the run.
 */
afterAll(() =>
  eventually(async () => {
    // A lease that has ended belongs to a worker that a test invented.
    await env.DB.prepare("DELETE FROM jobs WHERE status = 'queued' OR lease_until < ?").bind(Date.now()).run();
    const running = await env.DB.prepare("SELECT count(*) AS n FROM jobs WHERE status = 'running'").first("n");
    expect(running).toBe(0);
  }),
);
