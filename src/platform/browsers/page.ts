import type { Browser, CDPSession } from "@cloudflare/puppeteer";

/** A proxy address without a server: requests that pass the other walls fail here. */
const UNREACHABLE_PROXY = { proxyServer: "socks5://127.0.0.1:9", proxyBypassList: ["<-loopback>"] };

/** A page in a separate browser context, which reaches no network. */
export interface WalledPage {
  cdp: CDPSession;
  /** Ends the page and its context, even while a script in it runs for ever. */
  close(): Promise<void>;
}

/** The answer to a request: bytes, the page itself (a `data:` address), or none. */
export type WallAnswer = { body: Uint8Array; headers: Record<string, string> } | "own" | null;

interface WallRequest {
  url: string;
  headers: Record<string, string>;
}

/**
 * Opens an empty page with three barriers: `answer` answers every request of the page, the context's proxy has no
 * server, and the network is off. An answer of `answer` still arrives. Only the last barrier stops WebRTC.
 */
export async function openWalledPage(
  browser: Browser,
  answer: (request: WallRequest) => WallAnswer | Promise<WallAnswer>,
): Promise<WalledPage> {
  const [context, own] = await Promise.all([
    browser.createBrowserContext(UNREACHABLE_PROXY),
    browser.target().createCDPSession(),
  ]);
  if (context.id === undefined) throw new Error("a separate browser context must have an id");
  await own.send("Target.createTarget", { url: "about:blank", browserContextId: context.id });
  const target = await context.waitForTarget((candidate) => candidate.type() === "page");
  const cdp = await target.createCDPSession();
  cdp.on("Fetch.requestPaused", ({ requestId, request: { url, headers } }) => {
    // The page may close before its request is answered.
    settle(cdp, requestId, answer, { url, headers }).catch(() => {});
  });
  await Promise.all([
    cdp.send("Fetch.enable", {}),
    cdp.send("Network.enable"),
    cdp.send("Network.emulateNetworkConditions", {
      offline: true,
      latency: 0,
      downloadThroughput: 0,
      uploadThroughput: 0,
    }),
  ]);
  return {
    cdp,
    async close() {
      await context.close();
      await own.detach();
    },
  };
}

async function settle(
  cdp: CDPSession,
  requestId: string,
  answer: (request: WallRequest) => WallAnswer | Promise<WallAnswer>,
  request: WallRequest,
): Promise<void> {
  let given: WallAnswer;
  try {
    given = await answer(request);
  } catch {
    given = null;
  }
  if (given === "own") await cdp.send("Fetch.continueRequest", { requestId });
  else if (given === null) await cdp.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
  else
    await cdp.send("Fetch.fulfillRequest", {
      requestId,
      responseCode: 200,
      responseHeaders: Object.entries(given.headers).map(([name, value]) => ({ name, value })),
      body: given.body.toBase64(),
    });
}

/** A script threw an error in the page. */
export class PageError extends Error {}

/** Evaluates an expression in the page and awaits its result. @throws PageError when it throws there. */
export async function evaluate(cdp: CDPSession, expression: string): Promise<unknown> {
  const { exceptionDetails, result } = await cdp.send("Runtime.evaluate", {
    expression,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails !== undefined)
    throw new PageError(`the page refused: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
  return result.value;
}
