import puppeteer from "@cloudflare/puppeteer";
import { DomainError } from "../../../platform/errors";
import { PrinterBusy } from "../../../platform/printer";
import { BROWSER_KEEP_ALIVE, CLOSE_DEADLINE, LAUNCH_PAUSE } from "../limits";

type Binding = Pick<Cloudflare.Env, "BROWSER">["BROWSER"];

/**
 * Starts a browser that may reach no host at all, and returns its session's id.
 * @throws PrinterBusy when the plan allows no more now, DomainError unavailable when there is none.
 */
export async function launchBrowser(binding: Binding): Promise<string> {
  try {
    const { sessionId } = await puppeteer.acquire(binding, {
      keep_alive: BROWSER_KEEP_ALIVE,
      guardrails: { allowedDomains: [] },
    });
    return sessionId;
  } catch (cause) {
    if (cause instanceof Error && /\bcode: 429\b/.test(cause.message)) throw new PrinterBusy(LAUNCH_PAUSE);
    throw new DomainError("unavailable", "No browser could be started to print with.", { cause });
  }
}

/** Ends a browser whatever it is doing; one that is gone already is fine. @throws when that cannot be told. */
export async function closeBrowser(binding: Binding, sessionId: string): Promise<void> {
  const address = `https://browser.internal/v1/devtools/browser/${encodeURIComponent(sessionId)}`;
  const limit = AbortSignal.timeout(CLOSE_DEADLINE);
  const { status } = await binding.fetch(address, { method: "DELETE", signal: limit });
  if (status >= 500) throw new Error(`closing a browser answered ${status}`);
}
