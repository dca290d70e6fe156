import type { Browser, CDPSession } from "@cloudflare/puppeteer";
import { SHELL } from "./shell";

/** A proxy that nobody answers at: whatever might pass the other measures ends here. */
const NOWHERE = { proxyServer: "socks5://127.0.0.1:9", proxyBypassList: ["<-loopback>"] };

const CREATOR = "Document workspace";

/** A page that asks for nothing, in a context that nothing else shares. */
export interface GuardedPage {
  cdp: CDPSession;
  /** Ends the page and its context. */
  close(): Promise<void>;
}

/**
 * Opens an empty page whose scripts are off, whose requests all end here, and whose policy lets it load what
 * stands in it alone.
 */
export async function openGuardedPage(browser: Browser): Promise<GuardedPage> {
  const context = await browser.createBrowserContext(NOWHERE);
  const own = await browser.target().createCDPSession();
  if (context.id === undefined) throw new Error("a context of its own has an id");
  await own.send("Target.createTarget", { url: "about:blank", browserContextId: context.id });
  const target = await context.waitForTarget((candidate) => candidate.type() === "page");
  const cdp = await target.createCDPSession();
  cdp.on("Fetch.requestPaused", ({ requestId, request }) => {
    const settled = request.url.startsWith("data:")
      ? cdp.send("Fetch.continueRequest", { requestId })
      : cdp.send("Fetch.failRequest", { requestId, errorReason: "Aborted" });
    // The page may be gone before its request is answered.
    settled.catch(() => {});
  });
  // One after the other in the browser, in one round trip; the page is still empty.
  const [{ frameTree }] = await Promise.all([
    cdp.send("Page.getFrameTree"),
    cdp.send("Emulation.setScriptExecutionDisabled", { value: true }),
    // It is written into the PDF as its creator.
    cdp.send("Emulation.setUserAgentOverride", { userAgent: CREATOR }),
    cdp.send("Fetch.enable", {}),
    cdp.send("Page.enable"),
  ]);
  await cdp.send("Page.setDocumentContent", { frameId: frameTree.frame.id, html: SHELL });
  return {
    cdp,
    async close() {
      await context.close();
      await own.detach();
    },
  };
}
