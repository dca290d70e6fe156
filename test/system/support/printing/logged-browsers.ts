import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { linkBrowser } from "../../../../scripts/setup/browser.mjs";
import { eventually, LONG_PATIENCE } from "../../../support/patience";

/** Browsers for the printer of a service. Each records all its network traffic. */
export class LoggedBrowsers {
  private constructor(readonly folder: string) {}

  static async link(): Promise<LoggedBrowsers> {
    const browsers = new LoggedBrowsers(mkdtempSync(join(tmpdir(), "printing-")));
    await linkBrowser({ cacheHome: browsers.cacheHome, args: [browsers.argument("%p")] });
    return browsers;
  }

  /** The folder in which a service finds them: its XDG_CACHE_HOME. */
  get cacheHome(): string {
    return join(this.folder, "cache");
  }

  /**
   * The argument with which a browser writes its log to a named file. The logs of the service's browsers have their
   * process ids as names.
   */
  argument(name: string): string {
    return `--log-net-log=${this.folder}/network-${name}.json`;
  }

  /** Process ids of all browsers that were started so far. */
  get started(): number[] {
    return readdirSync(this.folder)
      .flatMap((name) => /^network-(\d+)\.json$/.exec(name)?.[1] ?? [])
      .map(Number);
  }

  get living(): number[] {
    return this.started.filter(lives);
  }

  /** The watcher beside each browser checks every second. */
  async noneLeft(): Promise<void> {
    await eventually(() => expect(this.living).toEqual([]), LONG_PATIENCE);
  }

  /** The content of their logs. A log is complete after the end of its browser. */
  logsOf(names: readonly (number | string)[]): string {
    return names.map((name) => readFileSync(join(this.folder, `network-${name}.json`), "utf8")).join();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Whether the process runs, and is not only an entry whose exit status nobody has read. */
function lives(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    return false;
  }
}
