import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Papers } from "../../../../gateway/src/camera/identity";
import type { Machine } from "../../../../gateway/src/clock";
import { Gateway } from "../../../../gateway/src/gateway";
import { configurationSchema } from "../../../../gateway/src/service/answers";
import { idOf, Spool } from "../../../../gateway/src/spool/spool";
import { drawn } from "../../../node/gateway/pictures";
import { configuration, json, pairedSite, refuse, serve } from "../../../node/gateway/stub-service";
import { eventually, LONG_PATIENCE } from "../../../support/patience";

/* A fault of one image, of the disk or of the clock does not stop the other images, and loses none. */

const HOUR = 3_600_000;
const UPLOADS = "/v1/camera-ingestion/uploads";

interface Announced {
  captureId: string;
  sizeBytes: number;
  checksumSha256: string;
}
type Answer = (announced: Announced, response: ServerResponse) => void;

const operation = (captureId: string, more: object) => ({
  operationId: captureId,
  captureId,
  status: "pending-transfer",
  uploadUrl: null,
  requiredHeaders: {},
  receipt: null,
  rejection: null,
  ...more,
});
const complete: Answer = ({ captureId, sizeBytes, checksumSha256 }, response) => {
  const receipt = { captureId, sizeBytes, checksumSha256, completedAtUtc: new Date().toISOString() };
  json(response, operation(captureId, { status: "completed", receipt }));
};

/**
 * A service with one camera, which is paused. `announce` answers an announcement, `other` every other request about an
 * operation and those to the object store. @returns its address
 */
const stub = (announce: Answer, other?: (request: IncomingMessage, response: ServerResponse) => void) =>
  serve((request, body, response) => {
    const limits = { ...configuration(1).limits, newUploadsPerMinute: 100, requestsPerMinute: 6_000 };
    if (request.url === "/v1/camera-ingestion/configuration")
      return void json(response, { ...configuration(1), limits }, { etag: '"1"' });
    if (request.url?.endsWith("/heartbeat"))
      return void json(response, { revision: 1, serverTimeUtc: new Date().toISOString() });
    if (request.url === UPLOADS) return announce(JSON.parse(body), response);
    if (other === undefined) throw new Error(`unexpected: ${request.method} ${request.url}`);
    other(request, response);
  });

/** A paired gateway with images that were taken an hour apart. It does not run yet. */
function gatewayWith(service: string, images: number, machine?: Machine, source?: object) {
  const { settings, folder } = pairedSite(service, {}, source);
  const spool = new Spool(folder);
  const ids = Array.from({ length: images }, (_, index) => {
    const takenAt = { quality: "synchronized" as const, at: Date.now() - (images - index) * HOUR };
    const intent = { captureId: randomUUID(), assignmentGeneration: 1, takenAt };
    return idOf(spool.keep(Buffer.from(`image ${index}`), intent));
  });
  const gateway = new Gateway({ settings, say: () => undefined, machine });
  const camera = gateway.cameras[0] ?? expect.fail("no camera");
  const start = () => {
    const stopping = new AbortController();
    const ended = gateway.run(stopping.signal);
    onTestFinished(async () => {
      stopping.abort();
      await ended;
    });
  };
  return { camera, ids, folder, start };
}

describe("an image", () => {
  test("that the service refuses without a known reason is tried again later, and the others are sent", async () => {
    const refused = new Set<string>();
    const announce: Answer = (announced, response) => {
      if (refused.has(announced.captureId)) return void refuse(response, 400, "validation-failed");
      complete(announced, response);
    };
    const { camera, ids, start } = gatewayWith(await stub(announce), 5);
    // Each lane begins with one of them.
    for (const id of [ids[0], ids[4]]) refused.add(id ?? "");
    start();
    await eventually(() => expect(camera.status()).toMatchObject({ queueCount: 2, totals: { completed: 3 } }));
    expect(camera.status().conditions).toHaveProperty("captures-refused");
  });

  test("whose bytes never arrive correctly leaves its upload slot to the others", async () => {
    const open = new Set<string>();
    const cancelled: string[] = [];
    const bad = new Set<string>();
    let address = "";
    const pending = (captureId: string, response: ServerResponse) =>
      json(response, operation(captureId, { uploadUrl: `${address}/objects/${captureId}` }));
    address = await stub(
      (announced, response) => {
        const { captureId } = announced;
        if (!bad.has(captureId) && open.size < 2) return complete(announced, response);
        // As in the service: two unfinished operations of a camera.
        if (!open.has(captureId) && open.size === 2) return void refuse(response, 429, "limit-reached");
        open.add(captureId);
        pending(captureId, response);
      },
      (request, response) => {
        const captureId = /[0-9a-f-]{36}/.exec(request.url ?? "")?.[0] ?? "";
        if (request.method === "PUT") return void response.writeHead(400).end();
        if (request.method === "POST") return void pending(captureId, response);
        open.delete(captureId);
        cancelled.push(captureId);
        json(response, operation(captureId, { status: "cancelled" }));
      },
    );
    const { camera, ids, start } = gatewayWith(address, 5);
    for (const id of [ids[0], ids[4]]) bad.add(id ?? "");
    start();
    await eventually(
      () => expect(camera.status()).toMatchObject({ queueCount: 2, totals: { completed: 3 } }),
      LONG_PATIENCE,
    );
    await eventually(() => expect(cancelled.toSorted()).toEqual([...bad].sort()), LONG_PATIENCE);
  });

  test("that is damaged while it waits is cancelled at the service, even when it was announced before a restart", async () => {
    const cancelled: string[] = [];
    const service = await stub(
      ({ captureId }, response) => json(response, operation(captureId, {})),
      (request, response) => {
        const captureId = /[0-9a-f-]{36}/.exec(request.url ?? "")?.[0] ?? "";
        expect(request.method).toBe("DELETE");
        cancelled.push(captureId);
        json(response, operation(captureId, { status: "cancelled" }));
      },
    );
    const { camera, ids, folder, start } = gatewayWith(service, 1);
    const spool = new Spool(folder);
    writeFileSync(spool.path(spool.resolved[0] ?? expect.fail("no image")), "other bytes");
    start();
    await eventually(() => expect(camera.status()).toMatchObject({ queueCount: 0, totals: { damaged: 1 } }));
    expect(cancelled).toEqual(ids);
  });
});

test("a full disk that cannot record the end of an image does not end the gateway", async () => {
  const announce: Answer = ({ captureId }, response) => {
    const rejection = { code: "not-jpeg", detail: "It is not a JPEG." };
    json(response, operation(captureId, { status: "rejected", rejection }));
  };
  const { camera, folder, start } = gatewayWith(await stub(announce), 1);
  // Every write to this device fails, as on a full disk.
  symlinkSync("/dev/full", join(folder, "ledger.jsonl"));
  start();
  await eventually(() => expect(camera.status().conditions).toHaveProperty("disk-full"));
  expect(camera.status()).toMatchObject({ queueCount: 1, totals: { rejected: 0 } });
  rmSync(join(folder, "ledger.jsonl"));
  await eventually(
    () => expect(camera.status()).toMatchObject({ queueCount: 0, totals: { rejected: 1 } }),
    LONG_PATIENCE,
  );
  expect(new Spool(folder).ends()).toMatchObject([{ end: "rejected", cause: "not-jpeg" }]);
});

test("a wrong clock that counts as synchronized drops no image before the service has told the time", async () => {
  const wallMs = () => Date.now() + 60 * 24 * HOUR;
  const machine = { bootId: randomUUID(), uptimeMs: () => performance.now(), wallMs, isSynchronized: () => true };
  let isDown = true;
  const service = await serve((request, body, response) => {
    if (isDown) return void response.writeHead(502).end();
    if (request.method === "GET") return void json(response, configuration(1), { etag: '"1"' });
    if (request.url === UPLOADS) return complete(JSON.parse(body), response);
    json(response, { revision: 1, serverTimeUtc: new Date().toISOString() });
  });
  const { camera, folder, start } = gatewayWith(service, 2, machine);
  new Papers(folder).setConfigured({ etag: null, configuration: configurationSchema.parse(configuration(1)) });
  start();
  await eventually(() => expect(camera.status().conditions).not.toHaveProperty("clock-unsynchronized"));
  isDown = false;
  await eventually(
    () => expect(camera.status()).toMatchObject({ queueCount: 0, totals: { completed: 2, dropped: 0 } }),
    LONG_PATIENCE,
  );
});

test("a full disk that another program fills again at once does not stop the thinning, and each end is counted and recorded", () => {
  const { folder } = pairedSite("http://127.0.0.1:9");
  const spool = new Spool(folder);
  const keep = (at: number) =>
    spool.keep(Buffer.from(`${at}`), {
      captureId: randomUUID(),
      assignmentGeneration: 1,
      takenAt: { quality: "synchronized", at },
    });
  const [first, second, third] = [keep(1), keep(2), keep(3)];
  symlinkSync("/dev/full", join(folder, "ledger.jsonl"));
  spool.end(first, "thinned", "disk-full");
  spool.end(second, "completed");
  expect(spool).toMatchObject({ count: 1, totals: { thinned: 1, completed: 1 } });
  expect(() => spool.end(third, "refused", "assignment-changed")).toThrow("ENOSPC");
  expect(spool).toMatchObject({ count: 1, totals: { refused: 0 } });
  rmSync(join(folder, "ledger.jsonl"));
  spool.end(third, "refused", "assignment-changed");
  const again = new Spool(folder);
  expect(again.ends().map(({ end }) => end)).toEqual(["thinned", "completed", "refused"]);
  expect(again).toMatchObject({ count: 0, apart: 1, totals: { thinned: 1, completed: 1, refused: 1 } });
});

test("a fault is reported once, and waits while the report has a more serious one", async () => {
  const reported: (string | null)[] = [];
  let isDown = true;
  const service = await serve((request, body, response) => {
    if (isDown) return void response.writeHead(502).end();
    if (request.method === "GET") return void json(response, { ...configuration(1), isPaused: false });
    reported.push(JSON.parse(body).errorCode);
    json(response, { revision: 1, serverTimeUtc: new Date().toISOString() });
  });
  const failing = { type: "command", command: ["false"], timeoutSeconds: 5 };
  const { camera, folder, start } = gatewayWith(service, 0, undefined, failing);
  const known = configurationSchema.parse({ ...configuration(1), isPaused: false });
  new Papers(folder).setConfigured({ etag: null, configuration: known });
  camera.thinned();
  start();
  await eventually(() => expect(camera.status().conditions).toHaveProperty("camera-failed"));
  isDown = false;
  await eventually(() => expect(camera.status().answeredSecondsAgo).toEqual(expect.any(Number)), LONG_PATIENCE);
  expect(reported).toEqual(["camera-failed"]);
  expect(camera.status().conditions).toHaveProperty("frames-thinned");
});

test("files that arrive in a pause are removed and counted", async () => {
  const path = mkdtempSync(join(tmpdir(), "inbox-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  const source = { type: "folder", path, settleSeconds: 0 };
  const { camera, start } = gatewayWith(await stub(complete), 0, undefined, source);
  start();
  // The gateway gives up a file only of a time whose settings it knows.
  await eventually(() => expect(camera.status().answeredSecondsAgo).toEqual(expect.any(Number)));
  for (const name of ["a.jpg", "b.jpg"]) writeFileSync(join(path, name), drawn(1, 48, 32));
  await eventually(() => expect(readdirSync(path)).toEqual([]));
  expect(camera.status()).toMatchObject({ queueCount: 0, totals: { completed: 0, unwanted: 2 } });
  expect(camera.spool.ends()).toMatchObject([
    { end: "unwanted", cause: "paused" },
    { end: "unwanted", cause: "paused" },
  ]);
});
