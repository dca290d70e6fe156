import { Session } from "node:inspector/promises";

/**
 * Counts the steps that some work takes: how often each block of JavaScript runs, summed up, in the code of the project
 * and of its packages. V8 counts them, so the same work takes the same steps on every machine. It counts in code that
 * was loaded after the counter began; what built-in functions do within is not counted.
 */
export class StepCounter {
  readonly #session = new Session();

  static async start(): Promise<StepCounter> {
    const counter = new StepCounter();
    counter.#session.connect();
    await counter.#session.post("Profiler.enable");
    await counter.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    return counter;
  }

  async of(work: () => unknown): Promise<number> {
    await this.#taken();
    await work();
    return this.#taken();
  }

  async stop(): Promise<void> {
    await this.#session.post("Profiler.stopPreciseCoverage");
    this.#session.disconnect();
  }

  /** Steps since the previous call. */
  async #taken(): Promise<number> {
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    const ranges = result.flatMap(({ functions }) => functions).flatMap((each) => each.ranges);
    return ranges.reduce((sum, { count }) => sum + count, 0);
  }
}
