import { env } from "cloudflare:workers";
import { enforceHostedLimits } from "./enforce";

/* A statement, message or object that the hosted service refuses fails every test, too. */
enforceHostedLimits(env);
