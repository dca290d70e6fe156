import type { Carried } from "./declare";
import { type Asked, type Cursor, type PageRow, pageStatement, type Range, shareOf, sumStatement } from "./statements";

/** A database from which rows are read. The statements of a batch see one state of it. */
export interface Source {
  batch(statements: readonly Asked[]): Promise<readonly (readonly unknown[])[]>;
}

/** The count and the two sums of rows. They are additive. */
export interface Sums {
  rows: number;
  a: number;
  b: number;
}

/** Consecutive rows of a table that were read together. `Kept` says where they are kept. */
export interface Slice<Kept> extends Range, Sums {
  table: string;
  kept: Kept;
}

/** Keeps the rows of a slice, for example in a file. `Kept` says where; it replaces what was kept of the slice before. */
export type Keep<Kept> = (table: Carried, lines: readonly string[], objects: readonly string[]) => Promise<Kept>;

/** Rounds until the rows must stand still. Each round reads only the slices that changed in the rounds before. */
const MAX_ROUNDS = 40;
/** Slices of one batch: their rows are in memory at the same time. */
const MAX_SLICES_A_BATCH = 40;

/** The rows changed faster than they were read. */
export class NeverStill extends Error {}

interface Part<Kept> {
  range: Range;
  /** Null while it is to be read. */
  slice: Slice<Kept> | null;
  /** It changed while it was read: it is read again with the final sums. */
  isHot: boolean;
}

const cursorOf = (table: Carried, row: PageRow): Cursor => table.key.map((_, n) => row[`k${n}`] ?? "");

const isSame = (one: Sums, other: Sums): boolean => one.rows === other.rows && one.a === other.a && one.b === other.b;

const add = (parts: readonly Part<unknown>[]): Sums =>
  parts.reduce<Sums>(
    (sum, { slice }) => ({
      rows: sum.rows + (slice?.rows ?? 0),
      a: sum.a + (slice?.a ?? 0),
      b: sum.b + (slice?.b ?? 0),
    }),
    { rows: 0, a: 0, b: 0 },
  );

/**
 * Reads the rows of a workspace as they were at one moment. First it reads slices, while the workspace changes. Then one batch
 * counts and sums each table, and reads the slices again that had changed: they are right if the sums of all slices are those
 * of their tables in that batch. Otherwise the slices that changed are found, and the batch is repeated with them.
 *
 * The service runs meanwhile. A change waits at most for one batch, because a database runs one batch after the other.
 */
class Reading<Kept> {
  readonly #parts = new Map<Carried, Part<Kept>[]>();

  constructor(
    readonly source: Source,
    readonly tables: readonly Carried[],
    readonly workspace: string | null,
    readonly keepSlice: Keep<Kept>,
    previous: readonly Slice<Kept>[],
  ) {
    for (const table of tables) {
      const known = previous.filter((slice) => slice.table === table.id);
      this.#parts.set(
        table,
        known.length > 0
          ? known.map((slice) => ({ range: { after: slice.after, to: slice.to }, slice, isHot: false }))
          : [{ range: { after: null, to: null }, slice: null, isHot: false }],
      );
    }
  }

  async whole(): Promise<Slice<Kept>[]> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      if (await this.#readAndCompare(round === 0))
        return [...this.#parts.values()].flat().flatMap(({ slice }) => slice ?? []);
    }
    throw new NeverStill(`The rows of ${this.workspace ?? "the directory"} change faster than they can be read.`);
  }

  /** Reads what is missing, then one batch with all sums and the hot slices. @returns whether everything is of one moment */
  async #readAndCompare(isFirst: boolean): Promise<boolean> {
    // A small workspace is read by the batch with its sums.
    const missing = () => this.#all().filter(([, part]) => part.slice === null);
    while (missing().length > (isFirst ? this.tables.length : 0))
      await this.#read(missing().slice(0, MAX_SLICES_A_BATCH), []);
    await this.#coolDown();
    const wanted = this.#all().filter(([, part]) => part.slice === null || part.isHot);
    const sums = await this.#read(wanted, this.tables);
    const wrong = this.tables.filter((table, n) => !isSame(add(this.#parts.get(table) ?? []), sums[n] ?? add([])));
    const isWhole = missing().length === 0;
    // A slice that was cut is not whole: its table cannot have the sums yet.
    if (isWhole) for (const table of wrong) await this.#findChanged(table);
    return isWhole && wrong.length === 0;
  }

  /** Reads the changed slices before the batch of the sums where they are too many for it, as after a long time. */
  async #coolDown(): Promise<void> {
    const hot = this.#all().filter(([, part]) => part.isHot);
    if (hot.length <= MAX_SLICES_A_BATCH) return;
    for (let at = 0; at < hot.length; at += MAX_SLICES_A_BATCH)
      await this.#read(hot.slice(at, at + MAX_SLICES_A_BATCH), []);
    for (const [, part] of hot) part.isHot = false;
  }

  #all(): [Carried, Part<Kept>][] {
    return [...this.#parts].flatMap(([table, parts]) => parts.map((part): [Carried, Part<Kept>] => [table, part]));
  }

  /** One batch: the rows of these slices, and the sums of these tables. */
  async #read(wanted: readonly [Carried, Part<Kept>][], summed: readonly Carried[]): Promise<Sums[]> {
    const results = await this.source.batch([
      ...wanted.map(([table, { range }]) => pageStatement(table, this.workspace, range)),
      ...summed.map((table) => sumStatement(table, this.workspace)),
    ]);
    for (const [n, [table, part]] of wanted.entries()) await this.#take(table, part, (results[n] ?? []) as PageRow[]);
    return results.slice(wanted.length).map((rows) => rows[0] as Sums);
  }

  /** Keeps the rows that were read. If they are as many as a slice can have, another slice has the rest of the range. */
  async #take(table: Carried, part: Part<Kept>, rows: readonly PageRow[]): Promise<void> {
    const last = rows.at(-1);
    const { after, to } = part.range;
    const isFull = last !== undefined && rows.length >= table.slice;
    const end = isFull ? cursorOf(table, last) : to;
    if (isFull && JSON.stringify(end) !== JSON.stringify(to)) {
      const parts = this.#parts.get(table) ?? [];
      parts.splice(parts.indexOf(part) + 1, 0, { range: { after: end, to }, slice: null, isHot: part.isHot });
    }
    part.range = { after, to: end };
    const sum = (n: 0 | 1) => rows.reduce((total, { digest }) => total + shareOf(digest, n), 0);
    const own: Sums = { rows: rows.length, a: sum(0), b: sum(1) };
    const { slice } = part;
    if (slice !== null && isSame(slice, own)) {
      part.slice = { ...slice, ...part.range };
      return;
    }
    const lines = rows.map(({ line }) => line);
    const objects = rows.flatMap((row) => (row.objects === null ? [] : (JSON.parse(row.objects) as string[])));
    part.slice = { table: table.id, ...part.range, ...own, kept: await this.keepSlice(table, lines, objects) };
  }

  /** Marks the slices of a table whose rows are not those that were read. */
  async #findChanged(table: Carried): Promise<void> {
    const cold = (this.#parts.get(table) ?? []).filter(({ isHot }) => !isHot);
    for (let at = 0; at < cold.length; at += MAX_SLICES_A_BATCH) {
      const some = cold.slice(at, at + MAX_SLICES_A_BATCH);
      const results = await this.source.batch(some.map(({ range }) => sumStatement(table, this.workspace, range)));
      for (const [n, part] of some.entries())
        if (part.slice !== null && !isSame(part.slice, results[n]?.[0] as Sums)) part.isHot = true;
    }
  }
}

/**
 * Reads the rows of one workspace, or of the directory with null. Slices of an earlier reading are read again only if their
 * sums have changed.
 * @throws NeverStill if the rows change faster than they are read
 */
export const carryOut = <Kept>(
  source: Source,
  tables: readonly Carried[],
  workspace: string | null,
  keep: Keep<Kept>,
  previous: readonly Slice<Kept>[] = [],
): Promise<Slice<Kept>[]> => new Reading(source, tables, workspace, keep, previous).whole();
