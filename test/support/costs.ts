import { env } from "cloudflare:workers";
import { anyDatabase } from "./spread";

/*
 * Counts the billed operations of the service: rows and round trips of D1 by the database's own counters, operations of R2,
 * and messages of the queues. Queries of tests through `env.DB` do not count.
 */

export interface Costs {
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
  /** Operations of R2: class A writes or lists, class B reads. A deletion is free. */
  classA: number;
  classB: number;
  /** Messages that were sent to queues. */
  messages: number;
  /** Lines of the log. */
  logLines: number;
  /** The statements that wrote, with their rows. */
  writes: { statement: string; rows: number }[];
}

/** A session of D1 as the runtime implements it: each call is one round trip. */
interface Session {
  _sendOrThrow: (path: string, statements: string | string[], ...more: unknown[]) => Promise<D1Result | D1Result[]>;
}

/** Statements that only find the caller of a request. */
const AUTHENTICATION = /^\s*SELECT "(?:camera_credentials|sessions|access_tokens)"\."id"/i;

const CLASS_A = ["put", "list", "createMultipartUpload"] as const;
const CLASS_B = ["get", "head"] as const;

const none = (): Costs => ({
  roundTrips: 0,
  rowsRead: 0,
  rowsWritten: 0,
  classA: 0,
  classB: 0,
  messages: 0,
  logLines: 0,
  writes: [],
});

/** Replaces a method until the returned function is called. */
function patch<T extends object, K extends keyof T>(target: T, name: K, wrap: (real: T[K]) => T[K]): () => void {
  const real = target[name];
  target[name] = wrap(real);
  return () => {
    target[name] = real;
  };
}

const prototypeOf = <T extends object>(of: T): T => Object.getPrototypeOf(of) as T;

/** Counts what `work` costs, with all of its jobs that end meanwhile. Round trips that only authenticate do not count. */
export async function costsOf(work: () => Promise<unknown>): Promise<Costs> {
  const costs = none();
  const count = (statements: string | string[], answer: D1Result | D1Result[]) => {
    const [texts, results] = [[statements].flat(), [answer].flat()];
    if (!AUTHENTICATION.test(texts[0] ?? "")) costs.roundTrips++;
    for (const [i, { meta }] of results.entries()) {
      costs.rowsRead += meta.rows_read;
      costs.rowsWritten += meta.rows_written;
      if (meta.rows_written > 0) costs.writes.push({ statement: texts[i] ?? "", rows: meta.rows_written });
    }
  };
  const undo = [
    patch(
      prototypeOf(anyDatabase),
      "withSession",
      (real) =>
        function (this: D1Database, constraint) {
          const session = real.call(this, constraint);
          patch(session as unknown as Session, "_sendOrThrow", (send) => async (path, statements, ...more) => {
            const answer = await send.call(session, path, statements, ...more);
            count(statements, answer);
            return answer;
          });
          return session;
        },
    ),
    ...(["info", "warn", "error"] as const).map((level) =>
      patch(console, level, (real) => (...line) => {
        costs.logLines++;
        real.apply(console, line);
      }),
    ),
    ...CLASS_A.map((name) => patchCounted(name, () => costs.classA++)),
    ...CLASS_B.map((name) => patchCounted(name, () => costs.classB++)),
    patch(
      prototypeOf(env.JOBS),
      "sendBatch",
      (real) =>
        function (this: Queue, messages, ...more) {
          const all = [...messages];
          costs.messages += all.length;
          return real.call(this, all, ...more);
        },
    ),
  ];
  try {
    await work();
    return costs;
  } finally {
    for (const one of undo) one();
  }
}

function patchCounted(name: (typeof CLASS_A | typeof CLASS_B)[number], count: () => void): () => void {
  return patch(
    prototypeOf(env.BUCKET) as unknown as Record<string, (...given: unknown[]) => unknown>,
    name,
    (real) =>
      function (this: R2Bucket, ...given) {
        count();
        return real.apply(this, given);
      },
  );
}
