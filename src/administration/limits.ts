/** Failed jobs that one request starts again. */
export const MAX_RERUN_JOBS = 200;
/** Jobs of a lane in line, in the queue, and failed jobs, that a count reads. */
export const MAX_COUNTED_JOBS = 10_000;
