import { MINUTE, SECOND } from "../../platform/time";

/** Largest page that is laid out: characters of its HTML, pictures included. */
export const LARGEST_PAGE = 48 * 1024 * 1024;
/** Largest PDF, bytes: it is held in memory once. */
export const LARGEST_PDF = 32 * 1024 * 1024;
/** Time for one page, from an open browser to the PDF's last byte. */
export const PRINT_DEADLINE = 40 * SECOND;
/** Browsers that turn out to have ended, of which one job tries the next. */
export const MOST_DEAD = 10;
/** Time in which an open browser answers. */
export const CONNECT_DEADLINE = 10 * SECOND;
/** Time a browser that is asked to end gets for it. */
export const CLOSE_DEADLINE = 3 * SECOND;

/** Pages after which a browser is replaced, so that what it may leak stays small. */
export const MOST_USES = 50;
/** A browser that nobody needed for this long is closed; idle time is paid for like work. */
export const BROWSER_IDLE = 45 * SECOND;
/** The service's own end for a browser without a command: later than ours, so that ours is the rule. */
export const BROWSER_KEEP_ALIVE = 2 * MINUTE;
/** A worker that has not given its browser back by then, after scaling a report's pictures, is dead. */
export const LEASE = PRINT_DEADLINE + 3 * MINUTE;
/** Time a job waits for a browser in line before it tries again later. */
export const LONGEST_WAIT = 20 * SECOND;
/** Pause after the service refused to start another browser. */
export const LAUNCH_PAUSE = 20 * SECOND;
