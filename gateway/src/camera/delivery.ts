import { setTimeout as wait } from "node:timers/promises";
import type { Operation } from "../service/answers";
import { Problem, type Service } from "../service/client";
import { type Frame, intentOfFrame, type Spool } from "../spool/spool";
import type { Health } from "./health";

/** Time between two reads of an operation's state. */
const POLL_MS = 2_500;
/** Number of reads after which an image in verification is tried again later. */
const MAX_POLLS = 8;
/** Consecutive transfers whose bytes did not arrive correctly. */
const MAX_TRANSFERS = 3;
/** Time after which a postponed image is tried again. */
const ASIDE_MS = 5 * 60_000;

/** The outcome of an attempt: the image has ended, is tried again later, or waits for a decision of a person. */
export type Outcome = { kind: "ended" } | { kind: "aside"; ms: number } | { kind: "blocked"; ms: number };

const ENDED: Outcome = { kind: "ended" };

/** Uploads images to the service. Their bytes are deleted only with a receipt, or when the service never accepts them. */
export class Delivery {
  constructor(
    private readonly service: Service,
    private readonly spool: Spool,
    private readonly health: Health,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws Unanswered; Problem 401, 403; ENOSPC when a full disk cannot record the end. */
  async deliver(frame: Frame): Promise<Outcome> {
    try {
      if (!this.spool.isWhole(frame)) return await this.#giveUpDamaged(frame);
      return await this.#carry(frame, await this.#announce(frame));
    } catch (thrown) {
      if (!(thrown instanceof Problem)) throw thrown;
      return this.#refused(frame, thrown);
    }
  }

  #announce(frame: Frame): Promise<Operation> {
    const { takenAt, ...intent } = intentOfFrame(frame);
    if (takenAt.quality === "unresolved") throw new Error("an image is announced whose time is not resolved");
    return this.service.announce({
      ...intent,
      capturedAtUtc: new Date(takenAt.at).toISOString(),
      clockQuality: takenAt.quality,
      contentType: "image/jpeg",
    });
  }

  async #carry(frame: Frame, begun: Operation): Promise<Outcome> {
    let [operation, polls, transfers] = [begun, 0, 0];
    for (;;) {
      switch (operation.status) {
        case "completed":
          return this.#completed(frame, operation);
        case "rejected":
          this.health.raise("captures-refused", operation.rejection?.detail ?? "rejected");
          this.spool.end(frame, "rejected", operation.rejection?.code ?? "rejected");
          return ENDED;
        case "expired":
        case "cancelled":
          // The next attempt starts a new operation for the same image.
          return { kind: "aside", ms: 1_000 };
        case "verification-pending":
          if (polls++ === MAX_POLLS) return { kind: "aside", ms: ASIDE_MS };
          await wait(POLL_MS, undefined, { signal: this.signal });
          operation = await this.service.status(operation.operationId);
          break;
        case "pending-transfer":
          if (transfers++ === MAX_TRANSFERS) {
            // The upload slot of this image is for other images now.
            await this.#cancel(operation);
            return { kind: "aside", ms: ASIDE_MS };
          }
          if (transfers > 1 && !this.spool.isWhole(frame)) return this.#cancelDamaged(frame, operation);
          operation = await this.#transfer(frame, operation);
      }
    }
  }

  async #transfer(frame: Frame, begun: Operation): Promise<Operation> {
    const operation = begun.uploadUrl === null ? await this.service.freshAddress(begun.operationId) : begun;
    if (operation.uploadUrl === null) return operation;
    const { uploadUrl, requiredHeaders, operationId } = operation;
    const transfer = await this.service.put(uploadUrl, requiredHeaders, this.spool.path(frame), frame.size);
    if (transfer === "sent" || transfer === "there-already") return this.service.complete(operationId);
    return this.service.freshAddress(operationId);
  }

  /** Deletes the bytes. The receipt matches them. */
  #completed(frame: Frame, { receipt }: Operation): Outcome {
    const { captureId, sizeBytes, checksumSha256 } = intentOfFrame(frame);
    const isForThese =
      receipt?.captureId === captureId && receipt.sizeBytes === sizeBytes && receipt.checksumSha256 === checksumSha256;
    if (!isForThese) {
      this.health.raise("receipt-mismatch", `${captureId} stays here: its receipt is for other bytes`);
      return { kind: "aside", ms: ASIDE_MS };
    }
    this.spool.end(frame, "completed");
    this.health.clear("storage-full", "receipt-mismatch");
    return ENDED;
  }

  async #giveUpDamaged(frame: Frame): Promise<Outcome> {
    // It may have been announced already, even before a restart. Then the answer is the operation that the service has.
    const operation = await this.#announce(frame);
    // The bytes arrived before the local file was damaged.
    if (operation.status !== "pending-transfer") return this.#carry(frame, operation);
    return this.#cancelDamaged(frame, operation);
  }

  async #cancel({ operationId }: Operation): Promise<void> {
    try {
      await this.service.cancel(operationId);
    } catch (thrown) {
      // When the cancellation fails, the operation expires by itself.
      if (!(thrown instanceof Problem) || thrown.status === 401) throw thrown;
    }
  }

  async #cancelDamaged(frame: Frame, operation: Operation): Promise<Outcome> {
    await this.#cancel(operation);
    this.health.raise(
      "local-file-damaged",
      "The disk returned other bytes than the gateway stored. Check the memory card.",
    );
    this.spool.end(frame, "damaged", "local-file-damaged");
    return ENDED;
  }

  #refused(frame: Frame, problem: Problem): Outcome {
    const { status, code, detail } = problem;
    if (status === 401 || status === 403) throw problem;
    if (code === "captured-outside-retention") {
      this.spool.end(frame, "dropped", code);
      return ENDED;
    }
    if (code === "captured-in-future") return { kind: "aside", ms: 60_000 };
    if (status === 507) {
      this.health.raise("storage-full", detail);
      return { kind: "blocked", ms: ASIDE_MS };
    }
    // The operation ended in the meantime or is unknown. The same image is announced again.
    if (status === 410 || status === 404 || code === "conflict") return { kind: "aside", ms: 1_000 };
    if (code === "assignment-changed" || code === "capture-metadata-mismatch" || status === 413 || status === 422) {
      this.health.raise("captures-refused", detail);
      this.spool.end(frame, "refused", code);
      return ENDED;
    }
    // A reason that this version does not know: the lanes go on with other images.
    this.health.raise("captures-refused", problem.message);
    return { kind: "aside", ms: ASIDE_MS };
  }
}
