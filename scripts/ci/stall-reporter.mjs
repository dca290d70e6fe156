/** Maximum time of a run without the end of a test. The longest test may take 10 minutes beside another suite. */
const MAX_SILENCE_MS = 12 * 60_000;
/** Maximum time that the tools may take to close after the last test. */
const MAX_CLOSING_MS = 60_000;
/** The exit code of a stalled run, `EX_TEMPFAIL` of sysexits.h. */
const STALLED = 75;

/** A vitest reporter that ends a stalled run and names the running tests. */
export default class StallReporter {
  #running = new Map();
  #modules = new Set();
  #timer;

  #expect(ms, late) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(late, ms);
    this.#timer.unref();
  }

  #progress() {
    this.#expect(MAX_SILENCE_MS, () => {
      console.error(`\nNo test ended for ${MAX_SILENCE_MS / 60_000} minutes. Running tests:`);
      for (const test of this.#running.values()) console.error(`  ${test.module.moduleId} > ${test.fullName}`);
      console.error("Open files:");
      for (const module of this.#modules) console.error(`  ${module}`);
      process.exit(STALLED);
    });
  }

  onTestRunStart() {
    this.#progress();
  }

  onTestModuleQueued(module) {
    this.#modules.add(module.moduleId);
  }

  onTestModuleEnd(module) {
    this.#modules.delete(module.moduleId);
    this.#progress();
  }

  onTestCaseReady(test) {
    this.#running.set(test.id, test);
  }

  onTestCaseResult(test) {
    this.#running.delete(test.id);
    this.#progress();
  }

  onTestRunEnd(_modules, _errors, reason) {
    this.#expect(MAX_CLOSING_MS, () => process.exit(reason === "passed" ? 0 : 1));
  }
}
