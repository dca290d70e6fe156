export { afterHit, type Hit, type Ranking, rank } from "./rank";
export type { After, Wanted } from "./statement";
