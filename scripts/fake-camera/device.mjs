import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";

/** Waits between tries that nobody answered, seconds: doubled each time, with jitter. */
const SHORTEST_BACKOFF = 1;
const LONGEST_BACKOFF = 300;
/** Polls of one image before another one is taken up. */
const POLLS = 20;

/** An answer that the device cannot go on with. */
export class Refused extends Error {
  constructor(status, code, detail, retryAfter) {
    super(`${status} ${code}: ${detail}`);
    Object.assign(this, { status, code, retryAfter });
  }
}

/**
 * The protocol of a camera's device: pairing, configuration, heartbeat and upload.
 * @param {string} url where the service answers
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

  /** Repeats what the network lost, what a limit put off and what the service could not do now. */
  async function persistently(work) {
    for (let backoff = SHORTEST_BACKOFF; ; backoff = Math.min(LONGEST_BACKOFF, backoff * 2)) {
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

  /** PUTs an image; the credential is never sent along. 412: it is there already. */
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
     * Pairs with the camera whose code this is. What is proposed is kept before: a lost answer is recovered by the same
     * proposal, after a restart too.
     * @param {() => Promise<string>} pairingCode asked for unless a proposal is under way that is still taken
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
     * What was under way when the device last stopped, of what it still owes: that comes first. The rest is
     * cancelled, as nobody would finish it and its place is needed.
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
     * Sends one image until it is published or refused for good; its bytes are let go only then.
     * @returns {Promise<"completed" | "rejected" | "refused" | "owed">}
     */
    async upload(intent) {
      try {
        let operation = await persistently(() => request("POST", "/v1/camera-ingestion/uploads", intent));
        for (let polls = 0; polls < POLLS; polls++) {
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
        // Too old to be shown, or of a place that it no longer stands at: nobody will ever take it.
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
