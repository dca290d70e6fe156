import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import type { Clock } from "../clock";
import { readJson, writeWhole } from "../files";
import { type NotDue, whyNotDue } from "../schedule";
import { type Configuration, configurationSchema } from "../service/answers";
import type { NightSettings } from "../settings";
import type { ClockReading, TakenAt } from "../spool/intent";

/** Numbers of periods and of assignments that are kept. The oldest are forgotten first. */
const MAX_PERIODS = 64;
const MAX_ASSIGNMENTS = 16;
/** Time after which the end of the current period is stored again. */
const STORE_EVERY_MS = 3_600_000;

const rulesSchema = z.object({
  ...configurationSchema.pick({
    revision: true,
    isPaused: true,
    captureWindow: true,
    timeZone: true,
    locationLatitude: true,
    locationLongitude: true,
  }).shape,
  nights: z.object({
    skip: z.boolean(),
    sunBelowDegrees: z.number(),
    latitude: z.number().optional(),
    longitude: z.number().optional(),
  }),
});
type Rules = z.infer<typeof rulesSchema>;

/** A period in which the gateway worked by the same settings, milliseconds since the epoch. */
const periodSchema = z.object({ from: z.number(), until: z.number(), rules: rulesSchema });
type Period = z.infer<typeof periodSchema>;

/** An assignment of the camera to a location, and since when the gateway works under it; null: since ever. */
const assignmentSchema = z.object({ generation: z.int(), from: z.number().nullable() });
type Assignment = z.infer<typeof assignmentSchema>;

const historySchema = z.object({ periods: z.array(periodSchema), assignments: z.array(assignmentSchema) });

/** The settings that are in effect, and the machine's uptime at which they began. */
interface Present {
  rules: Rules;
  since: number;
}

/**
 * The settings and the assignments by which the gateway worked in the past, on disk. A late image is judged by the
 * settings of its capture time. If the gateway does not know the settings of a time, it keeps every image of that time.
 */
export class History {
  readonly #file: string;
  readonly #periods: Period[];
  readonly #assignments: Assignment[];
  #present: Present | null = null;
  #storedAt: number | null = null;

  constructor(
    folder: string,
    private readonly clock: Clock,
    private readonly nights: NightSettings,
  ) {
    this.#file = join(folder, "history.json");
    let kept: z.infer<typeof historySchema> | null = null;
    try {
      kept = readJson(this.#file, historySchema);
    } catch {
      // The file is damaged. Images from before now are kept.
    }
    this.#periods = kept?.periods ?? [];
    this.#assignments = kept?.assignments ?? [];
  }

  /**
   * Records that the gateway works by this configuration from now on.
   * @param isConfirmed whether the service answered it just now. Then a period before a restart with the same revision did
   * not end in between.
   */
  follow(configuration: Configuration, isConfirmed: boolean): void {
    const { revision, isPaused, captureWindow, timeZone, locationLatitude, locationLongitude } = configuration;
    const rules: Rules = {
      ...{ revision, isPaused, captureWindow, timeZone, locationLatitude, locationLongitude },
      nights: this.nights,
    };
    const isNew = !isDeepStrictEqual(this.#present?.rules, rules);
    const now = this.clock.now();
    if (isNew) {
      this.#close(now);
      this.#present = { rules, since: this.clock.reading().uptime };
    }
    const isAssigned = this.#assign(configuration, now);
    const isJoined = isConfirmed && this.#join();
    const isOld = now !== null && (this.#storedAt === null || now - this.#storedAt >= STORE_EVERY_MS);
    if (isNew || isAssigned || isJoined || isOld) this.#store(now);
  }

  /** The beginning of the current period, or null while the time is unknown. */
  #presentFrom(now: number | null): number | null {
    return now === null || this.#present === null ? null : now - (this.clock.reading().uptime - this.#present.since);
  }

  #close(now: number | null): void {
    const from = this.#presentFrom(now);
    if (this.#present === null || from === null || now === null) return;
    this.#periods.push({ from, until: now, rules: this.#present.rules });
    while (this.#periods.length > MAX_PERIODS) this.#periods.shift();
  }

  /** Joins the current period with the last period when it has the same settings. @returns whether it did */
  #join(): boolean {
    const [last, now] = [this.#periods.at(-1), this.clock.now()];
    if (
      last === undefined ||
      now === null ||
      this.#present === null ||
      !isDeepStrictEqual(last.rules, this.#present.rules)
    )
      return false;
    this.#periods.pop();
    this.#present.since = this.clock.reading().uptime - (now - last.from);
    return true;
  }

  /** @returns whether the assignment changed, or its beginning became known */
  #assign({ assignmentGeneration: generation, assignmentStartedAtUtc }: Configuration, now: number | null): boolean {
    const started = assignmentStartedAtUtc == null ? null : Date.parse(assignmentStartedAtUtc);
    const last = this.#assignments.at(-1);
    if (last?.generation === generation) {
      const [first] = this.#assignments;
      if (last !== first || last.from !== null || started === null || generation === 1) return false;
      last.from = started;
      return true;
    }
    // The first known assignment counts from its beginning at the service. A later assignment counts from the moment at
    // which this gateway works under it: until then, the camera can have been at the former location.
    const from = last === undefined ? (generation === 1 ? null : started) : (now ?? started);
    this.#assignments.push({ generation, from });
    while (this.#assignments.length > MAX_ASSIGNMENTS) this.#assignments.shift();
    return true;
  }

  #store(now: number | null): void {
    const from = this.#presentFrom(now);
    const present =
      this.#present === null || from === null || now === null ? [] : [{ from, until: now, rules: this.#present.rules }];
    try {
      const history = { periods: [...this.#periods, ...present], assignments: this.#assignments };
      writeWhole(this.#file, JSON.stringify(history));
      this.#storedAt = now;
    } catch {
      // The disk is full or read-only. After a restart, images of this period are kept.
    }
  }

  /** The reason why no image was due when an image was taken; null when one was due, or the settings of that time are unknown. */
  notDueThen(ageMs: number): NotDue {
    const now = this.clock.now();
    const at = now === null ? null : now - ageMs;
    if (this.#present !== null && ageMs <= this.clock.reading().uptime - this.#present.since)
      return whyNotDue(this.#present.rules, this.#present.rules.nights, at);
    if (at === null) return null;
    const period = this.#periods.findLast(({ from, until }) => from <= at && at <= until);
    return period === undefined ? null : whyNotDue(period.rules, period.rules.nights, at);
  }

  /**
   * The assignment under which an image of this time was taken. An image from before all known assignments gets an
   * unknown earlier assignment, which the service refuses.
   * @param at milliseconds since the epoch
   */
  generationAt(at: number): number | null {
    const [first] = this.#assignments;
    if (first === undefined) return null;
    const found = this.#assignments.findLast(({ from }) => from === null || from <= at);
    return found?.generation ?? Math.max(1, first.generation - 1);
  }

  /**
   * The assignment and the time of an image whose time became known after it was stored. A synchronized time decides the
   * assignment. For an image that was taken while the gateway ran, the assignment is known, and an estimated time is not before it.
   */
  resolved(
    generation: number,
    reading: ClockReading,
    takenAt: Exclude<TakenAt, { quality: "unresolved" }>,
  ): { assignmentGeneration: number; takenAt: Exclude<TakenAt, { quality: "unresolved" }> } {
    const from = this.#assignments.find((assignment) => assignment.generation === generation)?.from ?? null;
    if (from === null || takenAt.at >= from) return { assignmentGeneration: generation, takenAt };
    if (takenAt.quality === "estimated" && reading.uptime >= 0)
      return { assignmentGeneration: generation, takenAt: { ...takenAt, at: from } };
    return { assignmentGeneration: Math.min(generation, this.generationAt(takenAt.at) ?? generation), takenAt };
  }
}
