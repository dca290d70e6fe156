import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { freePort } from "../../../scripts/service/options.mjs";
import { findBrowser } from "../../../scripts/setup/browser.mjs";

const FORMATS = {
  /** Motion JPEG in a multipart answer, as network cameras stream it. */
  mjpeg: ["-q:v", "4", "-f", "mpjpeg", "-content_type", "multipart/x-mixed-replace;boundary=ffmpeg"],
  /** A compressed video, of which a second ffmpeg takes one picture. */
  video: ["-c:v", "mpeg2video", "-g", "5", "-f", "mpegts"],
};

/** A camera that streams a moving picture over HTTP. ffmpeg is the server: it serves one client and is started again for the next. */
export class StreamingCamera {
  #server: ChildProcess | null = null;
  #isOpen = true;

  private constructor(
    private readonly format: keyof typeof FORMATS,
    readonly url: string,
  ) {}

  static async open(format: keyof typeof FORMATS): Promise<StreamingCamera> {
    const camera = new StreamingCamera(format, `http://127.0.0.1:${await freePort()}/stream`);
    camera.#serve();
    return camera;
  }

  #serve(): void {
    if (!this.#isOpen) return;
    const input = ["-re", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=5"];
    this.#server = spawn("ffmpeg", ["-v", "quiet", ...input, ...FORMATS[this.format], "-listen", "1", this.url], {
      stdio: "ignore",
    });
    this.#server.once("close", () => this.#serve());
  }

  close(): void {
    this.#isOpen = false;
    this.#server?.kill("SIGKILL");
  }
}

/** The recipe of the README for ffmpeg, with an address over HTTP instead of RTSP. */
export const ffmpegCommand = (url: string): string[] => [
  "ffmpeg",
  "-v",
  "error",
  "-i",
  url,
  "-frames:v",
  "1",
  "-q:v",
  "2",
  "-f",
  "image2pipe",
  "-c:v",
  "mjpeg",
  "-",
];

/** A command that takes a picture of a page with headless Chromium. @throws Error when there is no browser */
export async function screenshotCommand(page: string): Promise<string[]> {
  const browser = await findBrowser();
  if (browser === null) throw new Error("no browser: set CHROME_PATH to one");
  const script = join(import.meta.dirname, "screenshot.mjs");
  return [process.execPath, script, browser, page, "{width}", "{height}", "{quality}"];
}

/** A page that shows another picture at each look. */
export const CLOCK_PAGE = `data:text/html,${encodeURIComponent("<h1 style='font:90px monospace'></h1><script>document.querySelector('h1').textContent=new Date().toISOString()</script>")}`;
