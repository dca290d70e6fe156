import { z } from "zod";
import type { Clients } from "./clients.ts";
import type { BenchService, Site } from "./service.ts";

const made = z.looseObject({ id: z.string() });

/** Creates an annotation over the API, which announces it. Its id marks the event. */
export async function change(
  service: BenchService,
  { locationId, tokens }: Site,
): Promise<{ mark: string; answered: number }> {
  const response = await fetch(`${service.url}/v1/spatial/locations/${locationId}/annotations`, {
    method: "POST",
    headers: { authorization: `Bearer ${tokens[0]}`, "content-type": "application/json" },
    body: JSON.stringify({ kind: "note", title: "Note" }),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return { mark: made.parse(await response.json()).id, answered: performance.now() };
}

/** The measured value, its figure and its target. */
export type Row = [what: string, measured: string, limit: string];

export interface Arrivals {
  missing: number;
  /** Milliseconds until each client had the event: from the call, from its answer, and from the first receipt. */
  fromCall: number[];
  fromAnswer: number[];
  spread: number[];
}

/** Causes one event and returns its arrivals at the clients. */
export async function oneEvent(service: BenchService, site: Site, clients: Clients): Promise<Arrivals> {
  const from = clients.heard;
  const called = performance.now();
  const { mark, answered } = await change(service, site);
  const missing = await clients.expect(1, from, 20_000);
  const arrivals = clients.received.flatMap((heard) => heard.filter((event) => event.mark === mark).map((e) => e.at));
  const first = Math.min(...arrivals);
  return {
    missing,
    fromCall: arrivals.map((at) => at - called),
    fromAnswer: arrivals.map((at) => Math.max(0, at - answered)),
    spread: arrivals.map((at) => at - first),
  };
}

export const percentile = (values: readonly number[], p: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(p * values.length))] ?? Number.NaN;

/** A percentile of the arrivals of all events. */
export const percentileOf = (of: readonly Arrivals[], key: "fromCall" | "fromAnswer", p: number): number =>
  percentile(
    of.flatMap((event) => event[key]),
    p,
  );

/** The p50 and p99 of all arrivals, as a cell of a table. */
export function percentiles(of: readonly Arrivals[], key: "fromCall" | "fromAnswer" | "spread"): string {
  const all = of.flatMap((event) => event[key]);
  return `p50 ${percentile(all, 0.5).toFixed(0)} ms, p99 ${percentile(all, 0.99).toFixed(0)} ms`;
}

export const lost = (of: readonly Arrivals[]): number => of.reduce((sum, { missing }) => sum + missing, 0);
