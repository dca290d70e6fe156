import { useEffect, useRef, useState } from "preact/hooks";
import type { Document } from "../../../../client/src/index.ts";
import { Icon } from "../../../ui/icon.tsx";
import { watchNear } from "../../../ui/near.ts";
import { linkTo } from "./actions.ts";
import { formatOf } from "./format.ts";

/** Links to small pictures that are asked for at the same time. */
const AT_ONCE = 4;
let running = 0;
const waiting: (() => void)[] = [];

/** The address of the small picture of a document. Some are asked for at the same time, the others wait. */
async function smallPicture(id: string): Promise<string> {
  if (running >= AT_ONCE) await new Promise<void>((go) => waiting.push(go));
  running++;
  try {
    return await linkTo(id, { linkType: "small" });
  } finally {
    running--;
    waiting.shift()?.();
  }
}

/** The picture of a document, read when it comes near the window. Other documents have the name of their format. */
export function Thumbnail({ document }: { document: Document }) {
  const { id, version, derivativeStatus } = document;
  const box = useRef<HTMLSpanElement>(null);
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null || derivativeStatus !== "ready") return;
    let isThere = true;
    const stop = watchNear(element, "300px", (isNear) => {
      if (!isNear) return;
      stop();
      // Without the picture, the name of the format stays.
      smallPicture(id).then(
        (link) => isThere && setUrl(link),
        () => undefined,
      );
    });
    return () => {
      isThere = false;
      stop();
    };
  }, [id, version, derivativeStatus]);
  return (
    <span class="thumb" ref={box}>
      {url === null ? (
        <span class="small muted">
          <Icon name={document.kind === "picture" ? "image" : "file"} />
          {formatOf(document)}
        </span>
      ) : (
        <img src={url} alt="" draggable={false} onError={() => setUrl(null)} />
      )}
    </span>
  );
}
