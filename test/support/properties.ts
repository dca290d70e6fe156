import { env } from "cloudflare:workers";
import fc from "fast-check";

/*
 * fast-check with a fixed seed: every run tries the same cases, so a new failure comes from a change of the code.
 * `PROPERTY_SEED=n npm test` tries other cases. A failure names its seed.
 */
fc.configureGlobal({ seed: env.PROPERTY_SEED });

/** The number of random cases of a test that takes long: `cases` in `npm test`, five times as many in `.ci/run`. */
export const scaled = (cases: number): number => cases * env.WORLD_FACTOR;

export default fc;
