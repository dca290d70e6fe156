import { type Fence, FenceLost } from "../residence";
import type { Carried } from "./declare";
import {
  type Asked,
  type Cursor,
  type Look,
  type PageRow,
  pageStatement,
  probeStatement,
  type Range,
  readSums,
  type Source,
  type Sums,
  shareOf,
  sumStatement,
  sumStatements,
} from "./statements";

/** Consecutive rows of a table that were read together. `Kept` says where they are kept. */
export interface Slice<Kept> extends Range, Sums {
  table: string;
  /** The sums of the columns that tell each change. */
  light: { a: number; b: number };
  /** An earlier reading has read it, and this one has not compared it yet. */
  isOld?: true | undefined;
  kept: Kept;
}

/** Rows that are not read yet. */
interface Unread extends Range {
  table: string;
  rows: null;
}

/** Rows of a workspace that were read, or are to be read. They contain no class, so that a later call can continue. */
export type Parts<Kept> = (Slice<Kept> | Unread)[];

/** Keeps the rows of a slice, for example in a file. `Kept` says where; it replaces what was kept of the slice before. */
export type Keep<Kept> = (table: Carried, lines: readonly string[], objects: readonly string[]) => Promise<Kept>;

/** Slices of one batch: their rows are in memory at the same time. */
const MAX_SLICES_A_BATCH = 10;
/** Slices of which one statement makes the sums: a database runs nothing else meanwhile. */
const MAX_SLICES_A_SUM: Readonly<Record<Look, number>> = { full: 50, light: 100 };
/** Statements of sums in one batch. */
const MAX_SUMS_A_BATCH = 5;
/** Tries of the directory, and of a workspace whose fence another program removes. */
const [MAX_ROUNDS, MAX_FENCES] = [40, 3];

/** The rows changed faster than they were read. */
class NeverStill extends Error {}

interface Part<Kept> {
  range: Range;
  /** Null while it is to be read. */
  slice: Slice<Kept> | null;
}

/** A part with its table. */
type Placed<Kept> = [Carried, Part<Kept>];

const cursorOf = (table: Carried, row: PageRow): Cursor => table.key.map((_, n) => row[`k${n}`] ?? "");

const NONE: Sums = { rows: 0, a: 0, b: 0 };

const isSame = (one: Sums, other: Sums | undefined): boolean =>
  other !== undefined && one.rows === other.rows && one.a === other.a && one.b === other.b;

const sumsOf = (slice: Slice<unknown>, look: Look): Sums =>
  look === "full" ? slice : { rows: slice.rows, ...slice.light };

const add = (parts: readonly Part<unknown>[], look: Look): Sums =>
  parts.reduce<Sums>((sum, { slice }) => {
    const { rows, a, b } = slice === null ? NONE : sumsOf(slice, look);
    return { rows: sum.rows + rows, a: sum.a + a, b: sum.b + b };
  }, NONE);

const chunksOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));

export interface Reading<Kept> {
  source: Source;
  tables: readonly Carried[];
  /** The id of a workspace; null for the directory. */
  workspace: string | null;
  keep: Keep<Kept>;
  /** What an earlier call has read. Of that, only what has changed since is read again. */
  previous?: Parts<Kept>;
  /** Whether this call continues the earlier one, so that only the service has changed rows since. */
  isContinued?: boolean;
  /** Refuses changes of a large workspace for the last step. Without it, one batch sums all rows. */
  fence?: Fence;
  /** Whether to read on in this call, asked after each batch. Without it, the call reads everything. */
  mayContinue?: () => boolean;
}

class Reader<Kept> {
  readonly #parts = new Map<Carried, Part<Kept>[]>();

  constructor(readonly given: Reading<Kept>) {
    const byTable = Map.groupBy(given.previous ?? [], ({ table }) => table);
    // After an earlier backup, anybody can have changed the rows, and in any way. While a backup runs, only the service changes them.
    const begin = (slice: Slice<Kept>): Slice<Kept> => (given.isContinued === true ? slice : { ...slice, isOld: true });
    for (const table of given.tables) {
      const known = byTable.get(table.id) ?? [{ table: table.id, after: null, to: null, rows: null }];
      this.#parts.set(
        table,
        known.map((part) => ({
          range: { after: part.after, to: part.to },
          slice: part.rows === null ? null : begin(part),
        })),
      );
    }
  }

  get parts(): Parts<Kept> {
    return this.#all().map(([{ id }, { range, slice }]) => slice ?? { table: id, ...range, rows: null });
  }

  /** @returns whether everything is read, as of one moment */
  async read(): Promise<boolean> {
    const { source, fence, mayContinue = () => true } = this.given;
    if (await this.#readSmall()) {
      this.#compared(this.#all().map(([, part]) => part));
      return true;
    }
    const isCompared = await this.#repair(source, "full", mayContinue);
    await this.#readMissing(source, mayContinue);
    if (!isCompared || this.#missing().length > 0 || !mayContinue()) return false;
    if (fence !== undefined) {
      for (let tries = 0; tries < MAX_FENCES; tries++) {
        await this.#repair(source, "light");
        await this.#readMissing(source);
        if (!(await fence.close())) break;
        if (await this.#readBehind(fence)) return true;
      }
    }
    return this.#readUntilStill();
  }

  #all(): Placed<Kept>[] {
    return [...this.#parts].flatMap(([table, parts]) => parts.map((part): Placed<Kept> => [table, part]));
  }

  #missing(): Placed<Kept>[] {
    return this.#all().filter(([, { slice }]) => slice === null);
  }

  #compared(parts: readonly Part<Kept>[]): void {
    for (const part of parts)
      if (part.slice?.isOld) {
        const { isOld: _, ...slice } = part.slice;
        part.slice = slice;
      }
  }

  /** Reads a workspace with few rows: one batch has all of them. @returns false if there are too many */
  async #readSmall(): Promise<boolean> {
    const { source, tables, workspace } = this.given;
    const known = this.#all();
    if (known.length > tables.length + MAX_SLICES_A_BATCH) return false;
    if (known.every(([, { slice }]) => slice !== null)) {
      const sums = readSums(await source.batch(sumStatements(tables, workspace, "full")));
      if (tables.every((table, n) => isSame(add(this.#parts.get(table) ?? [], "full"), sums[n]))) return true;
    }
    const [counts] = await source.batch([probeStatement(tables, workspace, MAX_SLICES_A_BATCH)]);
    const found = Object.values((counts?.[0] ?? {}) as Record<string, number>);
    const size = tables.reduce((sum, { slice }, n) => sum + (found[n] ?? 0) / slice, 0);
    if (size >= MAX_SLICES_A_BATCH) return false;
    await this.#readParts(source, known, []);
    return this.#missing().length === 0;
  }

  async #readMissing(source: Source, mayContinue = () => true): Promise<void> {
    for (let next = this.#missing(); next.length > 0 && mayContinue(); next = this.#missing())
      await this.#readParts(source, next.slice(0, MAX_SLICES_A_BATCH), []);
  }

  /** Repairs what has changed since it was read, while the workspace is closed. @returns false if it was open meanwhile */
  async #readBehind(fence: Fence): Promise<boolean> {
    try {
      await this.#repair(fence.source, "light");
      await this.#readMissing(fence.source);
      return true;
    } catch (thrown) {
      if (thrown instanceof FenceLost) return false;
      throw thrown;
    } finally {
      await fence.open();
    }
  }

  /**
   * Sums groups of slices, and reads the slices again whose rows have changed since they were read. The full look compares slices
   * of an earlier reading, each once.
   * @returns whether it came to the end
   */
  async #repair(source: Source, look: Look, mayContinue = () => true): Promise<boolean> {
    const { workspace } = this.given;
    const groups = [...this.#parts].flatMap(([table, parts]) =>
      chunksOf(parts, MAX_SLICES_A_SUM[look]).flatMap((some) =>
        look === "light" || some.some(({ slice }) => slice?.isOld) ? [{ table, some }] : [],
      ),
    );
    const ranges = (some: readonly Part<Kept>[]): Range => ({
      after: some[0]?.range.after ?? null,
      to: some.at(-1)?.range.to ?? null,
    });
    for (const chunk of chunksOf(groups, MAX_SUMS_A_BATCH)) {
      if (!mayContinue()) return false;
      const sums = await this.#sums(
        source,
        chunk.map(({ table, some }) => sumStatement(table, workspace, ranges(some), look)),
      );
      const wrong = chunk.filter(({ some }, n) => !isSame(add(some, look), sums[n]));
      for (const { table, some } of wrong) await this.#repairSlices(source, look, table, some);
      this.#compared(chunk.flatMap(({ some }) => some));
    }
    return true;
  }

  async #repairSlices(source: Source, look: Look, table: Carried, some: readonly Part<Kept>[]): Promise<void> {
    for (const chunk of chunksOf(some, MAX_SLICES_A_BATCH)) {
      const sums = await this.#sums(
        source,
        chunk.map(({ range }) => sumStatement(table, this.given.workspace, range, look)),
      );
      const changed = chunk.filter((part, n) => !isSame(add([part], look), sums[n]));
      if (changed.length > 0)
        await this.#readParts(
          source,
          changed.map((part) => [table, part]),
          [],
        );
    }
  }

  async #sums(source: Source, statements: readonly Asked[]): Promise<(Sums | undefined)[]> {
    return readSums(await source.batch(statements));
  }

  /** Repeats a batch with the sums of all tables and the slices that change, until both are of one moment. */
  async #readUntilStill(): Promise<true> {
    const { source, tables, workspace } = this.given;
    const changing = new Set<Part<Kept>>();
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const wanted = this.#all().filter(([, part]) => part.slice === null || changing.has(part));
      if (wanted.length > MAX_SLICES_A_BATCH) {
        for (const some of chunksOf(wanted, MAX_SLICES_A_BATCH)) await this.#readParts(source, some, []);
        changing.clear();
        continue;
      }
      const results = await this.#readParts(source, wanted, sumStatements(tables, workspace, "light"));
      // A slice that was cut is not whole: its table cannot have the sums yet.
      if (this.#missing().length > 0) continue;
      const sums = readSums(results);
      const wrong = tables.filter((table, n) => !isSame(add(this.#parts.get(table) ?? [], "light"), sums[n]));
      if (wrong.length === 0) return true;
      for (const table of wrong)
        for (const some of chunksOf(this.#parts.get(table) ?? [], MAX_SLICES_A_BATCH)) {
          const now = await this.#sums(
            source,
            some.map(({ range }) => sumStatement(table, workspace, range, "light")),
          );
          for (const [n, part] of some.entries()) if (!isSame(add([part], "light"), now[n])) changing.add(part);
        }
    }
    throw new NeverStill(`The rows of ${workspace ?? "the directory"} change faster than they can be read.`);
  }

  /** One batch: the rows of these slices, and other statements, whose results it returns. */
  async #readParts(
    source: Source,
    wanted: readonly Placed<Kept>[],
    more: readonly Asked[],
  ): Promise<readonly (readonly unknown[])[]> {
    const { workspace } = this.given;
    const slices = Math.max(1, Math.floor(MAX_SLICES_A_BATCH / wanted.length));
    const results = await source.batch([
      ...wanted.map(([table, { range }]) => pageStatement(table, workspace, range, table.slice * slices)),
      ...more,
    ]);
    for (const [n, [table, part]] of wanted.entries()) {
      const [first = [], ...others] = chunksOf((results[n] ?? []) as PageRow[], table.slice);
      let rest = await this.#take(table, part, first);
      for (const rows of others) rest = rest && (await this.#take(table, rest, rows));
    }
    return results.slice(wanted.length);
  }

  /**
   * Keeps the rows that were read. If they are as many as a slice can have, another slice has the rest of the range.
   * @returns the part with the rest; null if there is none
   */
  async #take(table: Carried, part: Part<Kept>, rows: readonly PageRow[]): Promise<Part<Kept> | null> {
    const last = rows.at(-1);
    const { after, to } = part.range;
    const isFull = last !== undefined && rows.length >= table.slice;
    const end = isFull ? cursorOf(table, last) : to;
    const rest: Part<Kept> | null =
      isFull && JSON.stringify(end) !== JSON.stringify(to) ? { range: { after: end, to }, slice: null } : null;
    if (rest !== null) {
      const parts = this.#parts.get(table) ?? [];
      parts.splice(parts.indexOf(part) + 1, 0, rest);
    }
    part.range = { after, to: end };
    const sum = (n: 0 | 1, of: (row: PageRow) => number) => rows.reduce((total, row) => total + shareOf(of(row), n), 0);
    const full = (row: PageRow) => row.digest;
    const lightOf = (row: PageRow) => row.light ?? row.digest;
    const own: Sums = { rows: rows.length, a: sum(0, full), b: sum(1, full) };
    const light = { a: sum(0, lightOf), b: sum(1, lightOf) };
    const { slice } = part;
    if (slice !== null && isSame(slice, own)) {
      const { isOld: _, ...same } = slice;
      part.slice = { ...same, ...part.range, light };
      return rest;
    }
    const lines = rows.map(({ line }) => line);
    const objects = rows.flatMap((row) => (row.objects === null ? [] : (JSON.parse(row.objects) as string[])));
    part.slice = { table: table.id, ...part.range, ...own, light, kept: await this.given.keep(table, lines, objects) };
    return rest;
  }
}

/**
 * Reads the rows of one workspace, or of the directory, as they were at one moment, while the service runs.
 *
 * One batch reads a small workspace. A large workspace is read in slices, and its rows may change meanwhile. Then the sums of the slices
 * are compared with the sums in the database, and the slices that have changed are read again: once while the workspace changes,
 * and once while its fence refuses changes. So the fence stands about as long as the light sums take.
 * @returns what was read, and whether it is everything; otherwise the next call continues with it
 * @throws NeverStill if the rows of the directory change faster than they are read
 */
export async function carryOut<Kept>(given: Reading<Kept>): Promise<{ parts: Parts<Kept>; isWhole: boolean }> {
  const reader = new Reader(given);
  const isWhole = await reader.read();
  return { parts: reader.parts, isWhole };
}
