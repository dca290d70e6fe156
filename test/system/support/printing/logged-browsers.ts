import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import { linkBrowser } from "../../../../scripts/setup/browser.mjs";
import { eventually, LONG_PATIENCE } from "../../../support/patience";

/** Browsers for a service to print with, each of which writes down all its network. */
export class LoggedBrowsers {
  private constructor(readonly folder: string) {}

  static async link(): Promise<LoggedBrowsers> {
    const browsers = new LoggedBrowsers(mkdtempSync(join(tmpdir(), "printing-")));
    await linkBrowser({ cacheHome: browsers.cacheHome, args: [browsers.argument("%p")] });
    return browsers;
  }

  /** Where a service finds them: its XDG_CACHE_HOME. */
  get cacheHome(): string {
    return join(this.folder, "cache");
  }

  /** The argument by which a browser writes its log under a name; those of the service are named by process id. */
  argument(name: string): string {
    return `--log-net-log=${this.folder}/network-${name}.json`;
  }

  /** Process ids of every one that was started so far. */
  get started(): number[] {
    return readdirSync(this.folder)
      .flatMap((name) => /^network-(\d+)\.json$/.exec(name)?.[1] ?? [])
      .map(Number);
  }

  get living(): number[] {
    return this.started.filter(lives);
  }

  /** The watcher beside each browser looks every second. */
  async noneLeft(): Promise<void> {
    await eventually(() => expect(this.living).toEqual([]), LONG_PATIENCE);
  }

  /** What their logs say; a log is complete when its browser has ended. */
  logsOf(names: readonly (number | string)[]): string {
    return names.map((name) => readFileSync(join(this.folder, `network-${name}.json`), "utf8")).join();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Whether the process is there, and more than an entry that nobody has read yet. */
function lives(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
  } catch {
    return false;
  }
}
