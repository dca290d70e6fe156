import type { Context } from "../../platform/context";
import { safeName } from "../../platform/file-names";
import { fileNameSchema } from "../document";
import { nameKey, readNamed } from "../library";

/** Longest name without its number, characters. */
const MAX_NAME_LENGTH = 200;

/** A name of a document, from the name that a stranger's program wrote. @param otherwise the name if nothing of it is left */
export function documentName(given: string, otherwise: string): string {
  const name = safeName(given.toWellFormed().replace(/[\p{Zl}\p{Zp}]/gu, "_"), MAX_NAME_LENGTH);
  const stem = name.replace(/\.[a-z0-9]{1,8}$/i, "");
  return /[\p{L}\p{N}]/u.test(stem) && fileNameSchema.safeParse(name).success ? name : otherwise;
}

/** A name with its number: `plan.pdf`, `plan (2).pdf`. */
function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const ending = /\.[a-z0-9]{1,8}$/i.exec(name)?.[0] ?? "";
  return `${name.slice(0, name.length - ending.length)} (${number})${ending}`;
}

/** Numbers that are tried one by one, and the largest power of two that is tried after them. */
const LISTED_NUMBERS = 20;
const MAX_POWER = 30;

/** The number with which a name is free. It reads some 60 names at most, however many documents have the name. */
async function freeNumber(isTaken: (numbers: readonly number[]) => Promise<Set<number>>): Promise<number> {
  const first = Array.from({ length: LISTED_NUMBERS }, (_, n) => n + 1);
  const powers = Array.from({ length: MAX_POWER - 4 }, (_, n) => 2 ** (n + 5));
  const taken = await isTaken([...first, ...powers]);
  const free = first.find((number) => !taken.has(number));
  if (free !== undefined) return free;
  let high = powers.find((number) => !taken.has(number)) ?? 2 ** (MAX_POWER + 1);
  let low = high === powers[0] ? LISTED_NUMBERS : high / 2;
  // Below `high` the last taken number is searched, so that the numbers go on without a gap.
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((await isTaken([middle])).has(middle)) low = middle;
    else high = middle;
  }
  return high;
}

/** Names for new documents of a folder, in their order: none is taken, and each differs from the others. */
export async function freeNames(
  context: Pick<Context, "workspace">,
  { locationId, path }: { locationId: string; path: string },
  wanted: readonly string[],
): Promise<string[]> {
  const given = new Set<string>();
  const free: string[] = [];
  for (const name of wanted) {
    const number = await freeNumber(async (numbers) => {
      const places = numbers.map((n) => ({ locationId, path, fileName: numbered(name, n) }));
      const known = await readNamed(context, places);
      return new Set(
        numbers.filter((n, at) => {
          const place = places[at];
          return place !== undefined && (known.has(nameKey(place)) || given.has(numbered(name, n)));
        }),
      );
    });
    given.add(numbered(name, number));
    free.push(numbered(name, number));
  }
  return free;
}
