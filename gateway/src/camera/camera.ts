import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Clock } from "../clock";
import type { Disk, Tenant } from "../disk";
import { canWrite, isReadOnly, makeFolder } from "../files";
import type { NotDue } from "../schedule";
import { Problem, Service } from "../service/client";
import { Waiting } from "../service/waiting";
import type { CameraSettings } from "../settings";
import type { Source } from "../sources/source";
import { type Frame, Spool } from "../spool/spool";
import { Delivery } from "./delivery";
import { Health } from "./health";
import { History } from "./history";
import { type Identity, Papers } from "./identity";
import { Lanes } from "./lanes";
import { Report } from "./report";
import { Shutter } from "./shutter";

/** Time between two checks for a new credential while a camera has no valid one. */
const LOOK_MS = 2_000;
/** Time between two checks whether the state can be written again. */
const READ_ONLY_CHECK_MS = 30_000;

export const cameraFolder = (stateFolder: string, name: string): string => join(stateFolder, "cameras", name);

export interface CameraWork {
  settings: CameraSettings;
  stateFolder: string;
  source: Source;
  clock: Clock;
  disk: Disk;
  say: (line: string) => void;
}

/** The status of a camera, for people and programs. */
export interface CameraStatus {
  name: string;
  paired: boolean;
  queueCount: number;
  queueBytes: number;
  oldestAtUtc: string | null;
  lastCaptureAtUtc: string | null;
  answeredSecondsAgo: number | null;
  /** The reason why the camera takes no images now. */
  notDue: NotDue;
  keptApart: number;
  unusable: number;
  skipped: number;
  totals: Record<string, number>;
  conditions: Record<string, string>;
}

/** One camera with its own identity, images and lanes. Its images outlive revocation, pairing and moves. */
export class Camera implements Tenant {
  readonly spool: Spool;
  readonly #papers: Papers;
  readonly #health: Health;
  readonly #history: History;
  readonly #instanceId = randomUUID();
  readonly #waiting = new Waiting();
  #lanes: Lanes | null = null;
  #report: Report | null = null;
  #shutter: Shutter;
  #refusedCredential: string | null = null;

  constructor(private readonly work: CameraWork) {
    const folder = cameraFolder(work.stateFolder, work.settings.name);
    makeFolder(folder);
    this.spool = new Spool(folder);
    this.#papers = new Papers(folder);
    this.#health = new Health(work.say);
    const { settings, source, clock, disk } = work;
    this.#history = new History(folder, clock, settings.nights);
    const configured = this.#papers.configured();
    if (configured !== null) this.#history.follow(configured.configuration, false);
    disk.join(this);
    this.#shutter = new Shutter({
      source,
      clock,
      disk,
      spool: this.spool,
      health: this.#health,
      waiting: this.#waiting,
      history: this.#history,
      nights: settings.nights,
      configuration: () => this.#report?.configuration ?? this.#papers.configured()?.configuration ?? null,
    });
  }

  holds = (frame: Frame): boolean => {
    if (this.#lanes !== null) return this.#lanes.holds(frame);
    return this.#papers.lanes().includes(frame.name.slice(0, 36));
  };

  thinned(): void {
    this.#health.raise("frames-thinned", "The disk is full. The gateway deleted images between others.");
  }

  status(): CameraStatus {
    const { spool } = this;
    const utc = (at: number | null | undefined) => (at == null ? null : new Date(at).toISOString());
    const answered = this.#report?.answeredAt ?? null;
    return {
      name: this.work.settings.name,
      paired: this.#papers.identity() !== null,
      queueCount: spool.count,
      queueBytes: spool.bytes,
      oldestAtUtc: utc(spool.oldest?.at),
      lastCaptureAtUtc: utc(this.#shutter.lastShotAt),
      answeredSecondsAgo: answered === null ? null : Math.round((performance.now() - answered) / 1_000),
      notDue: this.#shutter.notDue,
      keptApart: spool.apart,
      unusable: this.#shutter.unusable,
      skipped: this.#shutter.skipped,
      totals: { ...spool.totals },
      conditions: this.#health.all,
    };
  }

  /** Takes images continuously. It calls the service while it has a credential. */
  async run(signal: AbortSignal): Promise<void> {
    await together(signal, (ended) => [this.#whileWritable(() => this.#shutter.run(ended), ended), this.#talk(ended)]);
  }

  /** Runs a task. While the file system is read-only it waits, and then begins the task again. */
  async #whileWritable(task: () => Promise<void>, signal: AbortSignal): Promise<void> {
    for (;;)
      try {
        return await task();
      } catch (thrown) {
        if (signal.aborted || !isReadOnly(thrown)) throw thrown;
        const { stateFolder } = this.work;
        this.#health.raise("disk-read-only", `Nothing can be stored in ${stateFolder}: the file system is read-only.`);
        do await wait(READ_ONLY_CHECK_MS, undefined, { signal });
        while (!canWrite(stateFolder));
        this.#health.clear("disk-read-only");
      }
  }

  async #talk(signal: AbortSignal): Promise<never> {
    for (;;) {
      const identity = this.#papers.identity();
      if (identity === null || identity.credential === this.#refusedCredential) {
        await wait(LOOK_MS, undefined, { signal });
        continue;
      }
      this.#health.clear("credential-revoked");
      try {
        await this.#talkAs(identity, signal);
      } catch (thrown) {
        if (signal.aborted || !(thrown instanceof Problem)) throw thrown;
        this.#refusedCredential = identity.credential;
        this.#health.raise(
          "credential-revoked",
          `${thrown.detail} Pair again: gateway pair ${this.work.settings.name}`,
        );
      }
    }
  }

  #talkAs({ service: url, credential }: Identity, signal: AbortSignal): Promise<void> {
    return together(signal, (ended) => {
      const { clock, disk, say } = this.work;
      const service = new Service(url, credential, ended, (utc, took) => clock.told(utc, took));
      const [spool, papers, health, waiting] = [this.spool, this.#papers, this.#health, this.#waiting];
      const [history, instanceId] = [this.#history, this.#instanceId];
      const lastShotAt = () => this.#shutter.lastShotAt;
      const report = new Report({
        service,
        papers,
        history,
        spool,
        clock,
        disk,
        health,
        waiting,
        instanceId,
        lastShotAt,
        say,
      });
      const delivery = new Delivery(service, spool, health, ended);
      const configuration = () => report.configuration;
      const lanes = new Lanes({
        spool,
        papers,
        service,
        delivery,
        health,
        waiting,
        configuration,
        isConfirmed: () => report.isConfirmed,
        now: () => clock.serviceTime(),
        say,
      });
      this.#report = report;
      this.#lanes = lanes;
      return [() => report.run(ended), () => lanes.run(0, ended), () => lanes.run(1, ended)].map((task) =>
        this.#whileWritable(task, ended),
      );
    });
  }
}

/** Runs endless tasks. The first task that fails stops the others. @throws its error */
async function together(signal: AbortSignal, begin: (ended: AbortSignal) => Promise<unknown>[]): Promise<void> {
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const failures: unknown[] = [];
  const guarded = begin(ended).map(async (work) => {
    try {
      await work;
    } catch (thrown) {
      if (!ended.aborted) failures.push(thrown);
      stop.abort();
    }
  });
  await Promise.all(guarded);
  if (failures.length > 0) throw failures[0];
  signal.throwIfAborted();
}
