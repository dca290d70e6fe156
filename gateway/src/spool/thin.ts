/**
 * Finds the image of an ordered list whose neighbours are nearest to each other. Its deletion leaves the smallest gap,
 * so that repeated deletions leave evenly spaced images. The first and the last image stay while there is another
 * image.
 * @returns its index, or null when none may go
 */
export function mostSuperfluous(times: readonly number[], mayGo: (index: number) => boolean): number | null {
  let best: number | null = null;
  let smallest = Number.POSITIVE_INFINITY;
  for (let index = 1; index < times.length - 1; index++) {
    const hole = (times[index + 1] as number) - (times[index - 1] as number);
    if (hole < smallest && mayGo(index)) [best, smallest] = [index, hole];
  }
  if (best !== null) return best;
  for (const index of [0, times.length - 1]) if (index >= 0 && index < times.length && mayGo(index)) return index;
  return null;
}
