import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { localSecrets } from "../../scripts/secrets.mjs";
import { freePort } from "../../scripts/service/options.mjs";
import { serve } from "../../scripts/service/serve.mjs";
import { linkBrowser } from "../../scripts/setup/browser.mjs";

/** Runs the service that prints pages with a real browser during the tests of a file. `folder` is deleted after them. */
export function usePrintingService() {
  const folder = mkdtempSync(join(tmpdir(), "printed-"));
  const running: { service?: Awaited<ReturnType<typeof serve>> } = {};
  beforeAll(async () => {
    await linkBrowser();
    running.service = await serve({
      port: await freePort(),
      stateDir: folder,
      secretsFile: localSecrets(folder),
      config: "test/system/support/printing/wrangler.toml",
    });
  }, 120_000);
  afterAll(async () => {
    await running.service?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    /** The address of the running service. */
    get url(): string {
      if (running.service === undefined) throw new Error("the service has not started");
      return running.service.url;
    },
  };
}
