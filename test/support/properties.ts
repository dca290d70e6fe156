import { env } from "cloudflare:workers";
import fc from "fast-check";

/*
 * fast-check with a fixed seed: every run tries the same cases, so a new failure comes from a change of the code.
 * `PROPERTY_SEED=n npm test` tries other cases. A failure names its seed.
 */
fc.configureGlobal({ seed: env.PROPERTY_SEED });

export default fc;
