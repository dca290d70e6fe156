import { env } from "cloudflare:workers";
import fc from "fast-check";

/*
 * fast-check for the tests: every run tries the same cases, so that a change is judged by what it changed.
 * `PROPERTY_SEED=n npm test` tries others; a failure names its seed.
 */
fc.configureGlobal({ seed: env.PROPERTY_SEED });

export default fc;
