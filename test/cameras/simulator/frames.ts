import { sha256Hex } from "../../../src/platform/crypto/bytes";
import { HOUR } from "../../../src/platform/time";
import { type Announcement, factsOf, image, words } from "../../support/device";
import type { FaultPlan, FrameKind } from "./faults";

/** Retention of the simulated cameras, days. */
export const RETENTION_DAYS = 30;

/** An image on a device, with the data that was stored with it before the first request. */
export interface Frame {
  kind: FrameKind;
  intent: Announcement;
  /** The bytes that the device would send; null after the device has deleted them. */
  bytes: Uint8Array<ArrayBuffer> | null;
  /** The end of the image for its device; null while it has not ended. */
  end: { status: "completed" | "rejected"; code: string | null } | null;
}

/** Takes a picture and decides its kind. */
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
    // The disk lost bits after the intent was written, so the sent bytes differ from the announced ones.
    ...(kind === "rotten" ? { checksumSha256: await sha256Hex(words("before")) } : {}),
  });
  return { kind, intent, bytes, end: null };
}
