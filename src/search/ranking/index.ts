export { afterHit, type Hit, type Ranking, rank } from "./rank";
export { type After, BM25F, type Wanted } from "./statement";
