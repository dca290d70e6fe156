/** What the service needs of an Analytics Engine dataset. */
interface Dataset {
  writeDataPoint(point: { indexes: string[]; blobs: (string | null)[]; doubles: number[] }): void;
}

/** Events that are counted besides errors: each request, and each slice and failure of a job. */
const COUNTED: ReadonlySet<string> = new Set(["request", "job.slice", "job.slice-failed", "job.failed"]);

let dataset: Dataset | null = null;

/** Writes points to this dataset from now on. Undefined: there is no binding METRICS, and no point is written. */
export function measureIn(given: Dataset | undefined): void {
  dataset = given ?? null;
}

/** A log line with its origin. */
interface Line {
  level: string;
  event: string;
  requestId: string | null;
  workspace: string | null;
  caller: string;
  [field: string]: unknown;
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null);

/**
 * Writes a data point for a log line that is counted. Every invocation of the Worker writes its points, also if its log lines are
 * not kept. A point has only fields of its line, so it has no secret, no search term and no name of a person.
 *
 * The columns are stable, because the queries of operators name them: docs/how-to/monitor.md.
 */
export function measure(line: Line): void {
  if (dataset === null || !(line.level === "error" || COUNTED.has(line.event))) return;
  const { event, level, workspace, caller, route, kind, method, status, outcome, code, ms, requestId } = line;
  const result = typeof status === "number" ? String(status) : (textOf(outcome) ?? textOf(code));
  try {
    dataset.writeDataPoint({
      indexes: [workspace ?? caller],
      blobs: [event, level, textOf(route) ?? textOf(kind), textOf(method), result, caller, workspace, requestId],
      doubles: [1, typeof ms === "number" ? ms : 0],
    });
  } catch {
    // An invocation may write a limited number of points. The work that is counted goes on.
  }
}
