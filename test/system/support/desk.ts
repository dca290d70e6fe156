import type { Browser, Page } from "puppeteer-core";
import { openBrowser, openTab } from "./browser";
import { watch } from "./console";
import { RunningService } from "./running";

/** The running service, and a browser with one tab, whose errors and requests to other hosts are collected in `complaints`. */
export class Desk {
  readonly complaints: string[] = [];

  private constructor(
    readonly service: RunningService,
    readonly browser: Browser,
    readonly page: Page,
  ) {}

  /** @param settings environment variables of the service */
  static async open(settings: Record<string, string> = {}): Promise<Desk> {
    const service = await RunningService.start(settings);
    try {
      const browser = await openBrowser();
      const desk = new Desk(service, browser, await openTab(browser));
      watch(service, desk.page, desk.complaints);
      await desk.page.setViewport({ width: 1280, height: 900 });
      return desk;
    } catch (thrown) {
      await service.stop();
      throw thrown;
    }
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.service.stop();
  }
}
