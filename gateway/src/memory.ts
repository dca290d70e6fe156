import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** First Node whose middle compiler (Maglev) decodes images as fast as the large one. */
const FIRST_NODE_WITH_MAGLEV = 22;

/** Switches V8's large compiler off where it is not needed: its code and its data take 5 MB. */
export function spareCompiler(): void {
  if (Number(process.versions.node.split(".")[0]) >= FIRST_NODE_WITH_MAGLEV) setFlagsFromString("--no-opt");
}

type Collect = (how?: { type: "minor" }) => void;
let collect: Collect | null = null;

function collector(): Collect {
  if (collect === null) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as Collect;
  }
  return collect;
}

/**
 * Frees the bytes of images that are done. They are outside V8's small heap, so V8 itself would keep several of them.
 */
export const freeImages = (): void => collector()();

/** Frees the bytes of chunks that were copied. It is quick, and finds only young objects. */
export const freeChunks = (): void => collector()({ type: "minor" });
