import type { Page } from "puppeteer-core";
import { expect } from "vitest";
import { z } from "zod";
import { eventually, LONG_PATIENCE } from "../../support/patience";

const HUB_PATH = "/sync-hub";
/** What ends a message of SignalR, and the type of an answer. */
const END = "\x1e";
const COMPLETION = 3;
const message = z.looseObject({
  type: z.int().optional(),
  invocationId: z.string().optional(),
  target: z.string().optional(),
});
const messagesIn = (frame: string) =>
  frame
    .split(END)
    .filter((text) => text !== "")
    .map((text) => message.parse(JSON.parse(text)));

/** What a live connection asked. Each connection asks at least about the access of its person. */
interface Asked {
  isWatching: boolean;
  unanswered: Set<string>;
}

/**
 * Listens to the live connection of the page that the tab opens next.
 * @returns waits until the service has answered all that this connection asked
 */
export async function listenToHub(tab: Page): Promise<() => Promise<void>> {
  const session = await tab.createCDPSession();
  // The page that the tab leaves has a connection too, and can still ask and get late answers.
  const connections = new Map<string, Asked>();
  session.on("Page.frameNavigated", ({ frame }) => {
    if (frame.parentId === undefined) connections.clear();
  });
  session.on("Network.webSocketCreated", ({ requestId, url }) => {
    if (new URL(url).pathname === HUB_PATH) connections.set(requestId, { isWatching: false, unanswered: new Set() });
  });
  session.on("Network.webSocketClosed", ({ requestId }) => void connections.delete(requestId));
  session.on("Network.webSocketFrameSent", ({ requestId, response }) => {
    const asked = connections.get(requestId);
    if (asked === undefined) return;
    for (const { invocationId, target } of messagesIn(response.payloadData)) {
      if (invocationId !== undefined) asked.unanswered.add(invocationId);
      asked.isWatching ||= target === "WatchAccess";
    }
  });
  session.on("Network.webSocketFrameReceived", ({ requestId, response }) => {
    const asked = connections.get(requestId);
    if (asked === undefined) return;
    for (const { type, invocationId } of messagesIn(response.payloadData))
      if (type === COMPLETION) asked.unanswered.delete(invocationId ?? "");
  });
  await session.send("Page.enable");
  await session.send("Network.enable");
  return async () => {
    await eventually(() => {
      const all = [...connections.values()];
      expect(all).not.toEqual([]);
      for (const asked of all) expect(asked).toEqual({ isWatching: true, unanswered: new Set() });
    }, LONG_PATIENCE);
    await session.detach();
  };
}
