/** Prices of Cloudflare's paid plan beyond the included amounts, US dollars for one operation. */
export const PRICES_OF = "2026-11-23";
const MILLION = 1_000_000;
export const PRICES = {
  /** D1: https://developers.cloudflare.com/d1/platform/pricing/ */
  rowsRead: 0.001 / MILLION,
  rowsWritten: 1 / MILLION,
  /** R2: https://developers.cloudflare.com/r2/pricing/ */
  classA: 4.5 / MILLION,
  classB: 0.36 / MILLION,
  /** Queues: https://developers.cloudflare.com/queues/platform/pricing/. A message is written, read and deleted. */
  messages: (3 * 0.4) / MILLION,
  /** Durable Objects: https://developers.cloudflare.com/durable-objects/platform/pricing/ */
  objectRequests: 0.15 / MILLION,
  objectRowsWritten: 1 / MILLION,
  /** Workers Logs: https://developers.cloudflare.com/workers/observability/logs/workers-logs/#pricing. Each line is an event. */
  logLines: 0.6 / MILLION,
  /** A second of an object with 128 MB. */
  objectSeconds: (0.128 * 12.5) / MILLION,
} as const;

export type Bill = Record<keyof typeof PRICES, number>;

/** Browser Run, for an hour of one browser beyond 10 hours a month: https://developers.cloudflare.com/browser-run/pricing/ */
export const BROWSER_HOUR = 0.09;

/** The price of a bill, US dollars. */
export const priceOf = (bill: Bill): number =>
  Object.entries(PRICES).reduce((sum, [name, price]) => sum + (bill[name as keyof Bill] ?? 0) * price, 0);
