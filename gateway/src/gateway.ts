import { rmSync } from "node:fs";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import * as z from "zod";
import { Camera, type CameraStatus } from "./camera/camera";
import { Clock, type Machine } from "./clock";
import { Disk } from "./disk";
import { makeFolder, requirePrivate } from "./files";
import { Refusal } from "./refusal";
import type { CameraSettings, Settings } from "./settings";
import { openSource } from "./sources/open";
import type { Source } from "./sources/source";

const statusSchema = z.looseObject({
  pid: z.int(),
  residentMegabytes: z.number(),
  runningSeconds: z.number(),
  cameras: z.array(z.looseObject({})),
});

export interface GatewayStatus {
  pid: number;
  residentMegabytes: number;
  runningSeconds: number;
  freeMegabytes: number;
  cameras: CameraStatus[];
}

const MEGABYTE = 1024 * 1024;
/** Maximum time for the answer of a running gateway. The check of a large image can take several seconds. */
const MAX_STATUS_MS = 20_000;
const socketOf = (stateFolder: string): string => join(stateFolder, "run.sock");

export interface GatewayWork {
  settings: Settings;
  say: (line: string) => void;
  machine?: Machine;
  source?: (camera: CameraSettings) => Source;
  freeOf?: (folder: string) => number;
}

/** All cameras of a machine. */
export class Gateway {
  readonly cameras: Camera[];
  readonly #disk: Disk;

  constructor(private readonly work: GatewayWork) {
    const { settings, say, machine, source = ({ source: from }) => openSource(from), freeOf } = work;
    const { stateFolder } = settings;
    makeFolder(stateFolder);
    requirePrivate(stateFolder);
    const clock = new Clock(stateFolder, machine);
    const disk = new Disk(stateFolder, settings.spool, freeOf);
    this.#disk = disk;
    this.cameras = settings.cameras.map(
      (camera) =>
        new Camera({
          settings: camera,
          stateFolder,
          clock,
          disk,
          source: source(camera),
          say: (line) => say(`${camera.name}: ${line}`),
        }),
    );
  }

  status(): GatewayStatus {
    return {
      pid: process.pid,
      residentMegabytes: Math.round(process.memoryUsage.rss() / MEGABYTE),
      runningSeconds: Math.round(process.uptime()),
      freeMegabytes: Math.round(this.#disk.free / MEGABYTE),
      cameras: this.cameras.map((camera) => camera.status()),
    };
  }

  /** Runs until it is stopped. */
  async run(signal: AbortSignal): Promise<void> {
    const server = await answerStatus(this.work.settings.stateFolder, () => this.status());
    const stop = new AbortController();
    const ended = AbortSignal.any([signal, stop.signal]);
    try {
      await Promise.all(this.cameras.map((camera) => camera.run(ended)));
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    } finally {
      stop.abort();
      server.close();
    }
  }
}

/** Answers `gateway status`. The socket is also the lock: one gateway at a time works on a folder. */
async function answerStatus(stateFolder: string, status: () => GatewayStatus): Promise<Server> {
  if ((await askStatus(stateFolder)) !== null) throw new Refusal(`A gateway runs on ${stateFolder} already.`);
  const socket = socketOf(stateFolder);
  rmSync(socket, { force: true });
  const server = createServer((connection) => {
    connection.on("error", () => undefined);
    connection.end(JSON.stringify(status()));
  });
  return new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(socket, () => done(server));
  });
}

/**
 * The status of the running gateway, or null when none runs. @throws Refusal when the running gateway does not answer:
 * its files are in use.
 */
export function askStatus(stateFolder: string, waitMs = MAX_STATUS_MS): Promise<GatewayStatus | null> {
  return new Promise((done, fail) => {
    let text = "";
    let isConnected = false;
    const connection = connect(socketOf(stateFolder), () => {
      isConnected = true;
    });
    connection.setTimeout(waitMs, () => connection.destroy());
    connection.on("data", (part) => {
      text += part.toString();
    });
    connection.on("error", () => undefined);
    connection.on("close", () => {
      if (!isConnected) return done(null);
      try {
        done(statusSchema.parse(JSON.parse(text)) as unknown as GatewayStatus);
      } catch {
        fail(
          new Refusal(
            `A gateway runs on ${stateFolder}, but does not answer. It can be busy with an image: try again.`,
          ),
        );
      }
    });
  });
}
