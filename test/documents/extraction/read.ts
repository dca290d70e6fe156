import { env } from "cloudflare:workers";
import { bytesSource } from "../../../src/documents/extraction/extracted";
import { readSlice, type SliceEnd } from "../../../src/documents/extraction/job";
import type { Passage } from "../../../src/documents/extraction/passages";
import { openAssets } from "../../../src/platform/ports";

/** A file of test/fixtures/documents. */
export function fixture(name: string): Uint8Array {
  const base64 = env.TEST_DOCUMENTS[name];
  if (base64 === undefined) throw new Error(`no fixture ${name}`);
  return Uint8Array.fromBase64(base64);
}

export interface ReadDocument {
  end: Extract<SliceEnd, { kind: "end" }>;
  passages: Passage[];
  slices: number;
  /** The text of all passages. */
  text: string;
}

/** Reads a file to its end, slice by slice, like the job. */
export async function readDocument(
  bytes: Uint8Array | string,
  fileName = "file",
  contentType = "application/octet-stream",
): Promise<ReadDocument> {
  const source = bytesSource(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes);
  const passages: Passage[] = [];
  const keep = async (batch: readonly Passage[]) => void passages.push(...batch);
  let end: SliceEnd | null = null;
  for (let slices = 1; ; slices++) {
    end = await readSlice(
      { source, readAsset: openAssets(env.ASSETS), fileName, contentType },
      end === null ? null : end.state,
      keep,
    );
    if (end.kind === "end") return { end, passages, slices, text: passages.map((p) => p.text).join("\n") };
  }
}

export const readFixture = (name: string): Promise<ReadDocument> => readDocument(fixture(name), name);
