import { DATABASE_CLOCK } from "../residence";
import type { Asked } from "./statements";

/** A database from which rows are read. The statements of a batch see one state of it. */
export interface Source {
  batch(statements: readonly Asked[]): Promise<readonly (readonly unknown[])[]>;
}

/** A fence that nobody renews ends after this time, milliseconds. A reader renews it with each batch. */
const FENCE_MS = 10_000;
/** Pause before the next try while another reader has a fence, milliseconds, and the tries. */
const TAKEN_MS = 1_000;
const MAX_TRIES = 60;

/** The fence ended before everything was read. */
export class FenceLost extends Error {}

/**
 * Refuses changes of one workspace while its rows are read as of one moment. Each batch renews the fence, so the batches of
 * `source` have seen one state of the workspace if none of them throws FenceLost.
 */
export class Fence {
  /** The end that this reader has set. Nobody else sets the same one, unless in the same millisecond. */
  #until = 0;

  constructor(
    readonly all: Source,
    readonly workspace: string,
  ) {}

  /** Closes the workspace. @returns false if this database does not have it, so that there is nothing to close */
  async close(): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      const [closed, known] = await this.all.batch([
        {
          sql: `UPDATE residents SET closed_until = ${DATABASE_CLOCK} + ${FENCE_MS} WHERE workspace_id = ?1 AND state = 'here'
            AND coalesce(closed_until, 0) <= ${DATABASE_CLOCK} RETURNING closed_until AS until`,
          params: [this.workspace],
        },
        { sql: "SELECT 1 FROM residents WHERE workspace_id = ?1 AND state = 'here'", params: [this.workspace] },
      ]);
      if (this.#took(closed)) return true;
      if (known?.length === 0) return false;
      if (tries === MAX_TRIES) throw new FenceLost(`Another reader keeps ${this.workspace} closed.`);
      await new Promise((done) => setTimeout(done, TAKEN_MS));
    }
  }

  /** The database behind the fence. Its batches throw FenceLost if changes were possible since the last one. */
  readonly source: Source = {
    batch: async (statements) => {
      const renewal: Asked = {
        sql: `UPDATE residents SET closed_until = max(?2 + 1, ${DATABASE_CLOCK} + ${FENCE_MS}) WHERE workspace_id = ?1
          AND closed_until = CAST(?2 AS INTEGER) AND closed_until > ${DATABASE_CLOCK} RETURNING closed_until AS until`,
        params: [this.workspace, this.#until],
      };
      const [renewed, ...results] = await this.all.batch([renewal, ...statements]);
      if (!this.#took(renewed)) throw new FenceLost(`${this.workspace} was open to changes while it was read.`);
      return results;
    },
  };

  /** Opens the workspace again, if it is still this reader that closed it. */
  async open(): Promise<void> {
    await this.all.batch([
      {
        sql: "UPDATE residents SET closed_until = NULL WHERE workspace_id = ?1 AND closed_until = CAST(?2 AS INTEGER)",
        params: [this.workspace, this.#until],
      },
    ]);
  }

  #took(rows: readonly unknown[] | undefined): boolean {
    const [row] = (rows ?? []) as { until: number }[];
    if (row !== undefined) this.#until = row.until;
    return row !== undefined;
  }
}
