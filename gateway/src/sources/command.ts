import { spawn } from "node:child_process";
import { Collector } from "../collector";
import type { SourceSettings } from "../settings";
import { MAX_SOURCE_BYTES, type PictureSettings, type Shot, type Source, SourceFailure } from "./source";

/** Characters of a program's error output that are shown. */
const MAX_COMPLAINT = 300;

const filled = (word: string, { captureWidth, captureHeight, jpegQuality }: PictureSettings): string =>
  word
    .replaceAll("{width}", String(captureWidth))
    .replaceAll("{height}", String(captureHeight))
    .replaceAll("{quality}", String(jpegQuality));

function run(command: string[], limitMs: number, signal: AbortSignal): Promise<Buffer> {
  const [program = "", ...args] = command;
  return new Promise((done, fail) => {
    // A separate process group, so that its child processes end with it.
    const child = spawn(program, args, { detached: true, stdio: ["ignore", "pipe", "pipe"] });
    const image = new Collector(MAX_SOURCE_BYTES);
    let complaint = "";
    const end = (failure: Error) => {
      fail(failure);
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
      } catch {
        // The process has ended.
      }
    };
    const tooLong = () => end(new SourceFailure("camera-timeout", `${program} gave no image in ${limitMs / 1_000} s.`));
    const timer = setTimeout(tooLong, limitMs);
    const stop = () => end(new Error("stopped"));
    signal.addEventListener("abort", stop, { once: true });
    child.stdout.on("data", (part: Buffer) => {
      if (!image.add(part))
        end(new SourceFailure("frame-too-large", `${program} gave more than ${MAX_SOURCE_BYTES} bytes.`));
    });
    child.stderr.on("data", (part: Buffer) => {
      complaint = (complaint + part.toString()).slice(-MAX_COMPLAINT);
    });
    child.on("error", (cause) =>
      end(new SourceFailure("camera-failed", `${program} cannot be started: ${cause.message}`)),
    );
    child.on("close", (code) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      if (code === 0 && image.length > 0) done(image.bytes);
      else
        fail(
          new SourceFailure(
            "camera-failed",
            `${program} ended with ${code} and ${image.length} bytes: ${complaint.trim()}`,
          ),
        );
    });
  });
}

/** An image that a program writes to its standard output. Each image has its own process, with a time limit. */
export const openCommand = (settings: Extract<SourceSettings, { type: "command" }>): Source => ({
  pace: "interval",
  async *take(picture, signal): AsyncGenerator<Shot> {
    const began = performance.now();
    const command = settings.command.map((word) => filled(word, picture));
    const bytes = await run(command, settings.timeoutSeconds * 1_000, signal);
    // The image was taken between the start and now.
    yield { bytes, ageMs: Math.round((performance.now() - began) / 2) };
  },
});
