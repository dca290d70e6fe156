import { env } from "cloudflare:workers";
import { enforceHostedLimits } from "./enforce";

/* The Worker of `npm start` with HOSTED_LIMITS=1. */
enforceHostedLimits(env);

export { BrowserPool, default, HubShard, JobSweeper, LocationChannel, ReportRoom } from "../../../src/worker";
