import { readdirSync, readFileSync } from "node:fs";
import { linkBrowser } from "../../scripts/setup/browser.mjs";

/** The browsers that the service starts. Each writes a file with the name of its process, so none is missed. */
export class Browsers {
  readonly cacheHome: string;
  private readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.cacheHome = `${folder}/cache`;
  }

  static async link(folder: string): Promise<Browsers> {
    const browsers = new Browsers(folder);
    await linkBrowser({ cacheHome: browsers.cacheHome, args: [`--log-net-log=${folder}/browser-%p.json`] });
    return browsers;
  }

  /** The process ids of all started browsers. */
  get started(): string[] {
    return readdirSync(this.folder).flatMap((name) => /^browser-(\d+)\.json$/.exec(name)?.[1] ?? []);
  }

  /** The number of running browsers. */
  get living(): number {
    return this.started.filter((pid) => {
      try {
        return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "latin1"));
      } catch {
        return false;
      }
    }).length;
  }
}
