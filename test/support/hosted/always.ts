import { env } from "cloudflare:workers";
import { anyDatabase } from "../spread";
import { enforceHostedLimits } from "./enforce";

/* A statement, message or object that the hosted service refuses fails every test, too. */
enforceHostedLimits({ ...env, DB: anyDatabase });
