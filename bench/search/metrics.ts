/** Normalized discounted cumulative gain at 10, with binary judgements (Järvelin, Kekäläinen 2002). */
export function ndcgAt10(ranked: readonly string[], relevant: ReadonlySet<string>): number {
  const gain = (rank: number) => 1 / Math.log2(rank + 2);
  const found = ranked.slice(0, 10).reduce((sum, id, rank) => sum + (relevant.has(id) ? gain(rank) : 0), 0);
  let best = 0;
  for (let rank = 0; rank < Math.min(10, relevant.size); rank += 1) best += gain(rank);
  return best === 0 ? 0 : found / best;
}

/** The reciprocal rank of the first relevant document. */
export function reciprocalRank(ranked: readonly string[], relevant: ReadonlySet<string>): number {
  const at = ranked.findIndex((id) => relevant.has(id));
  return at < 0 ? 0 : 1 / (at + 1);
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, v) => sum + v, 0) / Math.max(1, values.length);

/** The quantile of values for a share from 0 to 1. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Pseudo-random numbers from 0 to 1, the same in every run (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
