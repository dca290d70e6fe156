/** Maximum number of items that a page lists. The search finds all of them. */
export const MAX_LISTED = 1000;

/** The items of all pages of a list, up to the number that a page lists, or up to another one. */
export async function collect<T>(items: AsyncIterable<T>, most = MAX_LISTED): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) {
    all.push(item);
    if (all.length === most) break;
  }
  return all;
}
