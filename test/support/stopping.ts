/* What is between a worker and D1 or R2, and stops the worker at one of its round trips: killed there, or asleep. */

/** Where a worker stops. `before`: nothing of the round trip happens; `after`: it happens, and its answer is lost. */
export interface Stop {
  at: number;
  how: "before" | "after" | "sleep";
}

/** A round trip of a worker that was killed before. */
export class Killed extends Error {}

/** The round trips of one worker. */
export class Worker {
  trips = 0;
  #wake: () => void = () => {};
  readonly #awake = new Promise<void>((wake) => {
    this.#wake = wake;
  });
  #isKilled = false;

  constructor(readonly stop: Stop | null = null) {}

  /** Wakes a worker that sleeps. */
  wake(): void {
    this.#wake();
  }

  async trip<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isKilled) throw new Killed();
    this.trips++;
    const { at, how } = this.stop ?? { at: 0, how: "before" };
    const isHere = this.trips === at;
    if (isHere && how === "sleep") await this.#awake;
    this.#isKilled = isHere && how !== "sleep";
    if (isHere && how === "before") throw new Killed();
    const answer = await work();
    if (this.#isKilled) throw new Killed();
    return answer;
  }

  /** The database as the worker reaches it. */
  through = (database: D1Database): D1Database =>
    ({
      withSession: (constraint: string) => {
        const session = database.withSession(constraint);
        return {
          prepare: (text: string) => new Statement(session.prepare(text), this),
          batch: (statements: Statement[]) => this.trip(() => session.batch(statements.map(({ inner }) => inner))),
          getBookmark: () => session.getBookmark(),
        };
      },
    }) as unknown as D1Database;

  /** The bucket as the worker reaches it. */
  throughBucket = (bucket: R2Bucket): R2Bucket =>
    new Proxy(bucket, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>;
        return (...given: unknown[]) => this.trip(() => method.apply(target, given));
      },
    });
}

class Statement {
  constructor(
    readonly inner: D1PreparedStatement,
    readonly worker: Worker,
  ) {}

  bind = (...values: unknown[]) => new Statement(this.inner.bind(...values), this.worker);
  all = () => this.worker.trip(() => this.inner.all());
  run = () => this.worker.trip(() => this.inner.run());
  first = (...column: [string]) => this.worker.trip(() => this.inner.first(...column));
  raw = (...options: [{ columnNames: true }]) => this.worker.trip(() => this.inner.raw(...options));
}
