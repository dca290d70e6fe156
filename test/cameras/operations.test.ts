import { and, eq, inArray } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { cameraCaptures, cameraFrames } from "../../src/cameras/tables";
import { jobHandlers } from "../../src/job-handlers";
import { runJob } from "../../src/platform/jobs/run";
import { codeOf } from "../support/call";
import {
  ageOperation,
  announce,
  ask,
  cancel,
  complete,
  type Device,
  decided,
  factsOf,
  framesOf,
  handOver,
  image,
  mintDevice,
  ofFrame,
  passDue,
  put,
  refresh,
  transfer,
  upload,
  verification,
  verifyNow,
  viewOf,
  words,
} from "../support/device";
import { testDatabase } from "../support/statements";
import { expectCounted, runToEnd, storageOf, systemContext } from "../support/storage";

/* The result of every move of an announced image in every state. */

describe("a known captureId", () => {
  test("recovers its operation, with a new address while its bytes are missing", async () => {
    const device = await mintDevice();
    const bytes = image();
    const facts = await factsOf(bytes);
    const first = await announce(device, facts);
    expect(first.status).toBe(201);
    const begun = await viewOf(first);
    const again = await announce(device, facts);
    expect(again.status).toBe(200);
    const recovered = await viewOf(again);
    expect(recovered.operationId).toBe(begun.operationId);
    expect((await put(recovered, bytes)).status).toBe(200);
    expect((await put(begun, bytes)).status).toBe(412);
    expect(await framesOf(device.camera)).toHaveLength(1);
  });

  test("never changes its announced metadata", async () => {
    const device = await mintDevice();
    const facts = await factsOf(image());
    await announce(device, facts);
    const changes = {
      assignmentGeneration: 2,
      capturedAtUtc: new Date(Date.parse(facts.capturedAtUtc) - 1).toISOString(),
      sizeBytes: facts.sizeBytes + 1,
      checksumSha256: "0".repeat(64),
      clockQuality: "estimated",
    };
    const tryAll = async () => {
      for (const [name, value] of Object.entries(changes))
        expect(await codeOf(await announce(device, { ...facts, [name]: value }))).toBe("409 capture-metadata-mismatch");
    };
    await tryAll();
    await cancel(device);
    await tryAll();
    expect((await announce(device, facts)).status).toBe(201);
  });

  test("announced many times at once begins one operation", async () => {
    const device = await mintDevice();
    const facts = await factsOf(image());
    const answers = await Promise.all(Array.from({ length: 12 }, () => announce(device, facts)));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(11).fill(200), 201]);
    expect(new Set((await Promise.all(answers.map(viewOf))).map(({ operationId }) => operationId)).size).toBe(1);
    expect(await storageOf(device.organizationId)).toMatchObject({ reserved: facts.sizeBytes });
  });

  test("is unknown to another camera, which may use the same id", async () => {
    const [one, other] = [await mintDevice(), await mintDevice()];
    const captureId = crypto.randomUUID();
    const first = await upload(one, image(), { captureId });
    const facts = await factsOf(image(), { captureId });
    const answer = await announce(other, facts);
    expect(answer.status).toBe(201);
    const begun = await viewOf(answer);
    expect(begun.operationId).not.toBe(first.operationId);
    expect(await codeOf(await complete(other, first.operationId))).toBe("404 not-found");
    const sent = await upload(other, image(), { captureId: crypto.randomUUID() });
    await cancel(other);
    const second = await upload(other, image(), { captureId, checksumSha256: facts.checksumSha256 }).catch(() => null);
    expect(second).toBeNull();
    expect(await ask(other, sent.operationId)).toMatchObject({ status: "completed" });
  });

  test("of two cameras is published for each, and each gets its receipt again", async () => {
    const [one, other] = [await mintDevice(), await mintDevice()];
    const captureId = crypto.randomUUID();
    const sent = [await upload(one, image(), { captureId }), await upload(other, image(), { captureId })];
    for (const [n, device] of [one, other].entries()) {
      const mine = sent[n];
      if (mine === undefined) throw new Error("not sent");
      expect(await ask(device, mine.operationId)).toMatchObject({ status: "completed", receipt: { captureId } });
      // A long time later, when the row has no work left.
      await passDue(mine.operationId);
      expect(await viewOf(await announce(device, mine.facts))).toMatchObject({
        operationId: mine.operationId,
        status: "completed",
        receipt: { captureId, checksumSha256: mine.facts.checksumSha256 },
      });
      expect((await ask(device, mine.operationId)).status).toBe("completed");
    }
  });

  test("whose operation has expired or was cancelled begins a new one", async () => {
    const device = await mintDevice();
    const bytes = image();
    const facts = await factsOf(bytes);
    const begun = await viewOf(await announce(device, facts));
    await ageOperation(begun.operationId);
    expect((await ask(device, begun.operationId)).status).toBe("expired");
    expect(await codeOf(await complete(device, begun.operationId))).toBe("410 upload-ended");
    const second = await viewOf(await announce(device, facts));
    expect(second.operationId).not.toBe(begun.operationId);
    await cancel(device);
    expect((await ask(device, second.operationId)).status).toBe("cancelled");
    const third = await viewOf(await announce(device, facts));
    expect((await put(third, bytes)).status).toBe(200);
    await complete(device, third.operationId);
    await decided(third.operationId);
    expect((await ask(device, third.operationId)).status).toBe("completed");
    await expectCounted(device.organizationId);
  });
});

describe("the table of states", () => {
  type Sent = Awaited<ReturnType<typeof transfer>>;
  const STATES: Record<string, (device: Device) => Promise<Sent>> = {
    "pending-transfer": transfer,
    "verification-pending": async (device) => {
      const sent = await transfer(device);
      await handOver(sent.operationId);
      return sent;
    },
    held: async (device) => {
      const sent = await transfer(device);
      await handOver(sent.operationId);
      await testDatabase().update(cameraFrames).set({ heldAt: 1 }).where(ofFrame(sent.operationId));
      return sent;
    },
    completed: async (device) => {
      const sent = await transfer(device);
      await verifyNow(sent.operationId);
      return sent;
    },
    rejected: async (device) => {
      const sent = await transfer(device, words(`no image ${crypto.randomUUID()}`));
      await verifyNow(sent.operationId);
      return sent;
    },
    expired: async (device) => {
      const sent = await transfer(device);
      await ageOpen(sent.operationId);
      return sent;
    },
    cancelled: async (device) => {
      const sent = await transfer(device);
      await cancel(device);
      return sent;
    },
  };
  /** Expires an operation that is not finished. */
  async function ageOpen(operationId: string): Promise<void> {
    const isOpen = and(ofFrame(operationId), inArray(cameraFrames.status, ["pending", "verifying"]));
    await testDatabase().update(cameraFrames).set({ receivedAt: 1, dueAt: 1 }).where(isOpen);
    await runToEnd("clean-frames");
  }
  const answerOf = async (response: Response) => {
    const body = z
      .object({ status: z.union([z.string(), z.int()]), code: z.string().optional() })
      .parse(await response.json());
    return `${response.status} ${body.code ?? body.status}`;
  };
  const MOVES: Record<string, (device: Device, sent: Sent) => Promise<string>> = {
    announce: async (device, { facts }) => answerOf(await announce(device, facts)),
    "upload-url": async (device, { operationId }) => answerOf(await refresh(device, operationId)),
    complete: async (device, { operationId }) => answerOf(await complete(device, operationId)),
    verify: async (_device, { operationId }) =>
      (await runJob(systemContext(), jobHandlers, await verification(operationId))) ?? "",
    "a day": async (_device, { operationId }) => {
      await ageOpen(operationId);
      return "";
    },
    cancel: async (device) => {
      await cancel(device);
      return "";
    },
  };
  /** The answer to each move in each state, and the state after it. A new operation can begin beside an ended one. */
  const TABLE: Record<string, Record<string, [answer: string, next: string]>> = {
    "pending-transfer": {
      announce: ["200 pending-transfer", "pending-transfer"],
      "upload-url": ["200 pending-transfer", "pending-transfer"],
      complete: ["202 verification-pending", "completed"],
      verify: ["succeeded", "pending-transfer"],
      "a day": ["", "expired"],
      cancel: ["", "cancelled"],
    },
    "verification-pending": {
      announce: ["200 verification-pending", "verification-pending"],
      "upload-url": ["409 conflict", "verification-pending"],
      complete: ["202 verification-pending", "verification-pending"],
      verify: ["succeeded", "completed"],
      "a day": ["", "expired"],
      cancel: ["", "cancelled"],
    },
    held: {
      announce: ["200 verification-pending", "verification-pending"],
      "upload-url": ["409 conflict", "verification-pending"],
      complete: ["202 verification-pending", "verification-pending"],
      verify: ["succeeded", "completed"],
      "a day": ["", "expired"],
      cancel: ["", "cancelled"],
    },
    completed: {
      announce: ["200 completed", "completed"],
      "upload-url": ["410 upload-ended", "completed"],
      complete: ["200 completed", "completed"],
      verify: ["succeeded", "completed"],
      "a day": ["", "completed"],
      cancel: ["", "completed"],
    },
    rejected: {
      announce: ["200 rejected", "rejected"],
      "upload-url": ["410 upload-ended", "rejected"],
      complete: ["200 rejected", "rejected"],
      verify: ["succeeded", "rejected"],
      "a day": ["", "rejected"],
      cancel: ["", "rejected"],
    },
    expired: {
      announce: ["201 pending-transfer", "expired"],
      "upload-url": ["410 upload-ended", "expired"],
      complete: ["410 upload-ended", "expired"],
      verify: ["succeeded", "expired"],
      "a day": ["", "expired"],
      cancel: ["", "expired"],
    },
    cancelled: {
      announce: ["201 pending-transfer", "cancelled"],
      "upload-url": ["410 upload-ended", "cancelled"],
      complete: ["410 upload-ended", "cancelled"],
      verify: ["succeeded", "cancelled"],
      "a day": ["", "cancelled"],
      cancel: ["", "cancelled"],
    },
  };

  test.each(Object.entries(TABLE))(
    "%s: every move that is shown happens, every other is refused",
    async (state, moves) => {
      const tried = Object.entries(moves).map(async ([move, expected]) => {
        const device = await mintDevice();
        const sent = await STATES[state]?.(device);
        if (sent === undefined) throw new Error(`no state ${state}`);
        const answer = await MOVES[move]?.(device, sent);
        if (expected[1] === "completed") await decided(sent.operationId);
        const { status } = await ask(device, sent.operationId);
        expect([move, answer, status]).toEqual([move, ...expected]);
        const rows = await testDatabase().$count(cameraCaptures, eq(cameraCaptures.cameraId, device.camera.id));
        expect([move, rows]).toEqual([move, status === "completed" ? 1 : 0]);
      });
      await Promise.all(tried);
    },
  );
});
