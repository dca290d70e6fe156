import { readdirSync, readFileSync } from "node:fs";
import { linkBrowser } from "../../scripts/setup/browser.mjs";

/** The browsers that the service starts: each writes a file named after its process, so that none is overlooked. */
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

  /** Process ids of all that were started. */
  get started(): string[] {
    return readdirSync(this.folder).flatMap((name) => /^browser-(\d+)\.json$/.exec(name)?.[1] ?? []);
  }

  /** How many of them are there now. */
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
