/** Failed jobs that one request starts again. */
export const MAX_RERUN_JOBS = 200;
