/** A page of a list, as every list of the service answers. */
export interface Page<T> {
  items: T[];
  /** Requests the next page; null on the last one. */
  nextCursor: string | null;
}

/** Every item of a list, page after page. Each page is requested when its first item is needed. */
export async function* eachItem<T>(readPage: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const { items, nextCursor } = await readPage(cursor);
    yield* items;
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined);
}
