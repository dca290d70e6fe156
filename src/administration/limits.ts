/** Failed jobs that one request starts again. */
export const MAX_RERUN_JOBS = 200;
/** Jobs of a lane in line, in the queue, and failed jobs, that a count reads. */
export const MAX_COUNTED_JOBS = 10_000;
/** Objects of a database that wait for their deletion, and that a count reads. */
export const MAX_COUNTED_OBJECTS = 10_000;
/** Names of organizations that a page of a search reads, and that one statement reads. */
export const NAME_READS = { names: 20_000, ofStatement: 2_000 } as const;
