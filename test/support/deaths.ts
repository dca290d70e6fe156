import { env } from "cloudflare:workers";
import { contextAt } from "../../src/access";
import { openContext } from "../../src/compose";
import type { Context } from "../../src/platform/context";
import type { ObjectStore } from "../../src/platform/objects/store";
import { silentQueues } from "./job-rows";
import { isSpread } from "./spread";

/*
 * Processes that die. A step is one call of the database or of the bucket. The process dies before the call, or after it without
 * its answer.
 */

export interface Death {
  step: number;
  when: "before" | "after";
}

class Killed extends Error {}

/** Counts the calls of a context, and kills the process at one of them: every later call fails too. */
export class Process {
  #steps = 0;
  #isDead = false;

  constructor(private readonly death: Death | null) {}

  get steps(): number {
    return this.#steps;
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isDead) throw new Killed("dead");
    const isLast = this.death?.step === this.#steps++;
    this.#isDead = isLast;
    if (isLast && this.death?.when === "before") throw new Killed("before");
    const result = await work();
    if (isLast) throw new Killed("after");
    return result;
  }

  /** A context whose calls are steps. No queue delivers its jobs: the test runs them. */
  open(): Context {
    const { context } = openContext({ ...env, ...this.#databases() }, (work) => void work);
    const { read, write, remove, list } = context.objects;
    const objects: ObjectStore = {
      ...context.objects,
      read: (...given) => this.#run(() => read(...given)),
      write: (...given) => this.#run(() => write(...given)),
      remove: (...given) => this.#run(() => remove(...given)),
      // When the bucket is listed, the time of its objects has passed.
      list: (...given) =>
        this.#run(async () => {
          const page = await list(...given);
          return { ...page, objects: page.objects.map((object) => ({ ...object, writtenAt: 0 })) };
        }),
    };
    return { ...context, objects, queues: silentQueues().queues };
  }

  /** The same in the database of the workspace that an id names. */
  openAt(id: string): Promise<Context> {
    return contextAt(this.open(), id);
  }

  /** The databases of the service, whose calls are steps. */
  #databases(): Record<string, D1Database> {
    type Session = D1DatabaseSession & { _sendOrThrow: (...given: unknown[]) => Promise<unknown> };
    const mortal = (database: D1Database): D1Database => {
      const withSession: D1Database["withSession"] = (constraint) => {
        const session = database.withSession(constraint) as Session;
        const send = session._sendOrThrow.bind(session);
        session._sendOrThrow = (...given) => this.#run(() => send(...given));
        return session;
      };
      return Object.assign(Object.create(database) as D1Database, { withSession });
    };
    const names = isSpread ? Object.keys(env).filter((name) => /^(?:D1_|DIRECTORY$)/.test(name)) : ["DB"];
    return Object.fromEntries(names.map((name) => [name, mortal(env[name as "DB"])]));
  }
}

export const ALIVE = new Process(null);

/** Runs `story` and lets the process die in it. @returns the number of steps. */
export async function dying(death: Death | null, story: (process: Process) => Promise<unknown>): Promise<number> {
  const process = new Process(death);
  // A killed job is retried by its runner, which dies too.
  await story(process).catch((thrown: unknown) => {
    if (death === null) throw thrown;
  });
  return process.steps;
}

/**
 * The steps at which a process dies: each one in `.ci/run`, each third one in `npm test`. `first` differs between the
 * cases, so that together they have every step.
 */
export function stepsToDie(steps: number, first: number): number[] {
  const stride = Math.max(1, Math.round(3 / env.WORLD_FACTOR));
  return Array.from({ length: steps }, (_, step) => step).filter((step) => step % stride === first % stride);
}
