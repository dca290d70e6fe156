import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { freePort } from "../../../scripts/service/options.mjs";
import { findBrowser } from "../../../scripts/setup/browser.mjs";

const FORMATS = {
  /** Motion JPEG in a multipart answer, as network cameras stream it. */
  mjpeg: ["-q:v", "4", "-f", "mpjpeg", "-content_type", "multipart/x-mixed-replace;boundary=ffmpeg"],
  /** A compressed video. A second ffmpeg takes one picture from it. */
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

/** A camera that streams H.264 over RTSP and asks for a password: the server of GStreamer. */
export class RtspCamera {
  private constructor(
    private readonly server: ChildProcess,
    readonly url: string,
  ) {}

  static async open(): Promise<RtspCamera> {
    // Debian's Python has the bindings of Debian's GStreamer.
    const server = spawn("/usr/bin/python3", [join(import.meta.dirname, "rtsp.py")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [port] = await once(server.stdout, "data");
    return new RtspCamera(server, `rtsp://gateway:secret@127.0.0.1:${String(port).trim()}/stream`);
  }

  close(): void {
    this.server.kill("SIGKILL");
  }
}

const recipeSchema = z.object({ type: z.literal("command"), command: z.array(z.string()) });

/** The recipe of the README for an RTSP camera, with another address. */
export function rtspCommand(url: string): string[] {
  const recipe = readFileSync("gateway/README.md", "utf8")
    .split("\n")
    .find((line) => line.startsWith("{") && line.includes("rtsp://"));
  const { command } = recipeSchema.parse(JSON.parse(recipe ?? "null"));
  return command.map((word) => (word.startsWith("rtsp://") ? url : word));
}

/** The same recipe for an address over HTTP. */
export const ffmpegCommand = (url: string): string[] =>
  rtspCommand(url).filter((word) => word !== "-rtsp_transport" && word !== "tcp");

/** A command that takes a picture of a page with headless Chromium. @throws Error when there is no browser */
export async function screenshotCommand(page: string): Promise<string[]> {
  const browser = await findBrowser();
  if (browser === null) throw new Error("no browser: set CHROME_PATH to one");
  const script = join(import.meta.dirname, "screenshot.mjs");
  return [process.execPath, script, browser, page, "{width}", "{height}", "{quality}"];
}

/** A page that shows another picture at each look. */
export const CLOCK_PAGE = `data:text/html,${encodeURIComponent("<h1 style='font:90px monospace'></h1><script>document.querySelector('h1').textContent=new Date().toISOString()</script>")}`;
