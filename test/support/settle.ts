import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { eventually } from "./patience";

/*
 * The jobs that a file's tests caused end with it: one that still ran while the runtime is taken down
 * would write its log line to nobody, which fails the run.
 */
afterAll(() =>
  eventually(async () => {
    await env.DB.prepare("DELETE FROM jobs WHERE status = 'queued'").run();
    const running = await env.DB.prepare("SELECT count(*) AS n FROM jobs WHERE status = 'running'").first("n");
    expect(running).toBe(0);
  }),
);
