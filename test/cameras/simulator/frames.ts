import { sha256Hex } from "../../../src/platform/crypto/bytes";
import { HOUR } from "../../../src/platform/time";
import { type Announcement, factsOf, image, words } from "../../support/device";
import type { FaultPlan, FrameKind } from "./faults";

/** Days the simulated cameras retain. */
export const RETENTION_DAYS = 30;

/** An image on a device, with what was kept beside it before anything was sent. */
export interface Frame {
  kind: FrameKind;
  intent: Announcement;
  /** What the device would send; gone once it has let go of it. */
  bytes: Uint8Array<ArrayBuffer> | null;
  /** How its device saw it end; null while it is owed. */
  end: { status: "completed" | "rejected"; code: string | null } | null;
}

/** Takes a picture; what it will come to is decided here. */
export async function takeFrame(plan: FaultPlan, index: number): Promise<Frame> {
  const kind = plan.frameKind();
  const whole = image(24, 16);
  const bytes =
    kind === "cut-off"
      ? whole.slice(0, whole.length - 60)
      : kind === "no-image"
        ? words(`frame ${plan.seed} ${index}`)
        : whole;
  const ages = { future: -1 - 5 * plan.random(), "too-old": RETENTION_DAYS * 24 + 1 };
  const hours = kind === "future" || kind === "too-old" ? ages[kind] : 1 + 40 * plan.random();
  const intent = await factsOf(bytes, {
    capturedAtUtc: new Date(Date.now() - hours * HOUR).toISOString(),
    // The disk lost bits after the intent was written: the bytes that are sent differ from the announced ones.
    ...(kind === "rotten" ? { checksumSha256: await sha256Hex(words("before")) } : {}),
  });
  return { kind, intent, bytes, end: null };
}
