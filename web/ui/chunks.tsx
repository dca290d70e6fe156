import type { ComponentChildren, RefObject } from "preact";
import { Fragment } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { watchNear } from "./near.ts";

/** Items of a chunk. Only chunks near the window have their items in the page. */
const CHUNK_SIZE = 50;
/** Distance from the window in which items are in the page. */
const MARGIN = "1200px";

interface ChunkProps {
  /** The box of a chunk: `tbody` of a table, or a `div`. */
  as: "tbody" | "div";
  class?: string;
  /** An item of the page in which a space stands for the items: a row of a table, or nothing. */
  space: (height: number) => ComponentChildren;
  /** Makes the items. Only a chunk near the window calls it. */
  items: () => ComponentChildren;
  /** Whether the items are in the page whatever the window shows: the first chunk. */
  always: boolean;
}

function Chunk({ as: Box, always, space, items, ...more }: ChunkProps) {
  const box = useRef<HTMLElement>(null);
  const [height, setHeight] = useState<number | null>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null || always) return;
    return watchNear(element, MARGIN, (isNear, box) => {
      // The focus stays in the page.
      const keeps = isNear || element.contains(document.activeElement);
      setHeight(keeps ? null : box.height);
    });
  }, [always]);
  return (
    <Box ref={box as RefObject<HTMLTableSectionElement & HTMLDivElement>} {...more}>
      {height === null ? items() : space(height)}
    </Box>
  );
}

/** A long list in chunks. What is far from the window is a space of the same height, so that the page stays quick. */
export function Chunks<T>(props: {
  as: "tbody" | "div";
  class?: string;
  items: readonly T[];
  row: (item: T) => ComponentChildren;
  space: (height: number) => ComponentChildren;
}) {
  const { items, row, ...box } = props;
  const count = Math.ceil(items.length / CHUNK_SIZE);
  return (
    <Fragment>
      {Array.from({ length: count }, (_, n) => (
        <Chunk
          key={n}
          always={n === 0}
          items={() => items.slice(n * CHUNK_SIZE, (n + 1) * CHUNK_SIZE).map(row)}
          {...box}
        />
      ))}
    </Fragment>
  );
}
