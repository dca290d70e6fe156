import { MINUTE, SECOND } from "../time";

/** Number of ended browsers that one job tries before it gives up. */
export const MAX_DEAD_BROWSERS = 10;
/** Time for an open browser to answer. */
export const CONNECT_TIMEOUT_MS = 10 * SECOND;
/** Time for a browser to close. */
export const CLOSE_TIMEOUT_MS = 3 * SECOND;

/** Uses after which a browser is replaced, to limit memory leaks. */
export const MAX_BROWSER_USES = 50;
/** A browser is closed after it was idle for this long, because idle time costs the same as work. */
export const MAX_BROWSER_IDLE_MS = 45 * SECOND;
/** Idle timeout of the browser service: longer than MAX_BROWSER_IDLE_MS, which applies first. */
export const BROWSER_KEEP_ALIVE_MS = 2 * MINUTE;
/** A worker that has not returned its browser after this time counts as dead. The longest slice of a job is shorter. */
export const BROWSER_LEASE_MS = 4 * MINUTE;
/** Time that a job waits in the queue for a browser before it tries again later. */
export const MAX_BROWSER_WAIT_MS = 20 * SECOND;
/** Pause after the browser service refused to start another browser. */
export const LAUNCH_RETRY_DELAY_MS = 20 * SECOND;
