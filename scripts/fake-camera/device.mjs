import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";

/** Pauses between tries without an answer, seconds. They double each time, with jitter. */
const MIN_BACKOFF_SECONDS = 1;
const MAX_BACKOFF_SECONDS = 300;
/** Polls of one image before the device continues with another one. */
const MAX_POLLS = 20;

/** An answer after which the device cannot continue. */
export class Refused extends Error {
  constructor(status, code, detail, retryAfter) {
    super(`${status} ${code}: ${detail}`);
    Object.assign(this, { status, code, retryAfter });
  }
}

/**
 * The protocol of a camera's device: pairing, configuration, heartbeat and upload.
 * @param {string} url address of the service
 * @param {ReturnType<typeof import("./frames.mjs").openFrames>} frames
 * @param {AbortSignal} stopping
 */
export function openDevice(url, frames, stopping) {
  async function request(method, path, body) {
    const { credential } = frames.identity() ?? {};
    const response = await fetch(new URL(path, url), {
      method,
      signal: AbortSignal.any([stopping, AbortSignal.timeout(30_000)]),
      headers: {
        ...(credential && { authorization: `Bearer ${credential}` }),
        ...(body && { "content-type": "application/json" }),
      },
      body: body && JSON.stringify(body),
    });
    const answer = await response.json();
    if (response.ok) return answer;
    const { code = "unknown", detail = "" } = answer;
    throw new Refused(response.status, code, detail, Number(response.headers.get("retry-after") ?? 0));
  }

  /** Repeats requests after network errors, rate limits and temporary failures of the service. */
  async function persistently(work) {
    for (let backoff = MIN_BACKOFF_SECONDS; ; backoff = Math.min(MAX_BACKOFF_SECONDS, backoff * 2)) {
      try {
        return await work();
      } catch (thrown) {
        const isFinal = thrown instanceof Refused && thrown.status < 500 && thrown.status !== 429;
        if (isFinal || stopping.aborted) throw thrown;
        const seconds = Math.max(thrown.retryAfter ?? 0, backoff * (0.5 + Math.random() / 2));
        await wait(seconds * 1_000, undefined, { signal: stopping });
      }
    }
  }

  /** PUTs an image without the credential. 412 means that it is already uploaded. */
  async function put(operation, bytes) {
    const response = await fetch(operation.uploadUrl, {
      method: "PUT",
      headers: operation.requiredHeaders,
      body: bytes,
      signal: AbortSignal.any([stopping, AbortSignal.timeout(120_000)]),
    });
    if (!response.ok && response.status !== 412) throw new Error(`PUT answered ${response.status}`);
  }

  async function redeem(proposal) {
    const paired = await persistently(() => request("POST", "/v1/camera-ingestion/enrollments/redeem", proposal));
    const credential = `svccam1.${paired.credentialId.replaceAll("-", "")}.${proposal.credentialSecret}`;
    frames.setIdentity({ ...paired, credential });
    frames.setProposal(null);
  }

  return {
    /**
     * Pairs with the camera of the code. The proposal is stored first, so the same proposal recovers a lost answer,
     * also after a restart.
     * @param {() => Promise<string>} pairingCode called unless a stored proposal is still accepted
     */
    async pair(pairingCode) {
      const kept = frames.proposal();
      if (kept !== null) {
        try {
          return await redeem(kept);
        } catch (thrown) {
          if (!(thrown instanceof Refused)) throw thrown;
        }
      }
      const secret = randomBytes(32).toString("hex");
      const proposal = { pairingCode: await pairingCode(), credentialSecret: secret, redemptionId: randomUUID() };
      frames.setProposal(proposal);
      await redeem(proposal);
    },

    configuration: () => persistently(() => request("GET", "/v1/camera-ingestion/configuration")),

    heartbeat(appliedRevision, lastCaptureAt, freeBytes) {
      const owed = frames.owed();
      return persistently(() =>
        request("POST", "/v1/camera-ingestion/heartbeat", {
          appliedRevision,
          lastCaptureAtUtc: lastCaptureAt === null ? null : new Date(lastCaptureAt).toISOString(),
          queueCount: owed.length,
          queueBytes: owed.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
          freeBytes,
          oldestPendingAtUtc: owed[0]?.capturedAtUtc ?? null,
        }),
      );
    },

    /**
     * The open uploads from before the last stop whose images the device still has: they come first. The others are
     * cancelled, because nobody would finish them and they use up the limit.
     */
    async unfinished() {
      const { items } = await persistently(() => request("GET", "/v1/camera-ingestion/uploads"));
      const owed = frames.owed();
      const known = (captureId) => owed.find((intent) => intent.captureId === captureId);
      for (const { captureId, statusUrl } of items)
        if (known(captureId) === undefined)
          await persistently(() => request("DELETE", statusUrl)).catch(() => undefined);
      return items.flatMap(({ captureId }) => known(captureId) ?? []);
    },

    /**
     * Sends one image until it is published or finally refused. Only then its bytes are deleted.
     * @returns {Promise<"completed" | "rejected" | "refused" | "owed">}
     */
    async upload(intent) {
      try {
        let operation = await persistently(() => request("POST", "/v1/camera-ingestion/uploads", intent));
        for (let polls = 0; polls < MAX_POLLS; polls++) {
          const { status, operationId, statusUrl } = operation;
          if (status === "completed" || status === "rejected") {
            frames.drop(intent);
            return status;
          }
          if (status === "pending-transfer") {
            if (operation.uploadUrl === null)
              operation = await persistently(() => request("POST", `${statusUrl}/upload-url`));
            await persistently(() => put(operation, frames.bytesOf(intent)));
            operation = await persistently(() => request("POST", `${statusUrl}/complete`));
          } else if (status === "verification-pending") {
            await wait(2_000, undefined, { signal: stopping });
            operation = await persistently(() => request("GET", `/v1/camera-ingestion/uploads/${operationId}`));
          } else return "owed";
        }
        return "owed";
      } catch (thrown) {
        if (!(thrown instanceof Refused)) throw thrown;
        // The image is too old or of an earlier location: the service never accepts it.
        if (["captured-outside-retention", "assignment-changed"].includes(thrown.code)) {
          frames.drop(intent);
          return "refused";
        }
        if (thrown.status === 401) throw thrown;
        return "owed";
      }
    },
  };
}
