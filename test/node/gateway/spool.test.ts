import { createHash, randomUUID } from "node:crypto";
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { Disk } from "../../../gateway/src/disk";
import { fileNameOf, type Intent, intentOf } from "../../../gateway/src/spool/intent";
import { idOf, intentOfFrame, Spool } from "../../../gateway/src/spool/spool";
import { mostSuperfluous } from "../../../gateway/src/spool/thin";
import { drawn } from "./pictures";

const root = mkdtempSync(join(tmpdir(), "spool-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const newFolder = () => mkdtempSync(join(root, "camera-"));

const taken = (at: number) => ({
  captureId: randomUUID(),
  assignmentGeneration: 1,
  takenAt: { quality: "synchronized" as const, at },
});

test("a file name contains the whole intent, and other names are ignored", () => {
  const instant = fc.nat({ max: 4e12 });
  const takenAt = fc.oneof(
    fc.record({ quality: fc.constantFrom("synchronized" as const, "estimated" as const), at: instant }),
    fc.record({
      quality: fc.constant("unresolved" as const),
      reading: fc.record({ bootId: fc.uuid(), uptime: fc.integer({ min: -1e9, max: 1e12 }), wall: instant }),
    }),
  );
  const intent = fc.record({
    captureId: fc.uuid(),
    assignmentGeneration: fc.integer({ min: 1, max: 1e6 }),
    takenAt,
    sizeBytes: fc.integer({ min: 1, max: 8 * 1024 * 1024 }),
    checksumSha256: fc.stringMatching(/^[0-9a-f]{64}$/),
  });
  fc.assert(
    fc.property(intent, (given: Intent) => {
      const name = fileNameOf(given);
      expect(name.length).toBeLessThan(250);
      expect(intentOf(name)).toEqual(given);
      expect(intentOf(`${name}.part`)).toBeNull();
      expect(intentOf(name.slice(1))).toBeNull();
    }),
  );
});

describe("the spool", () => {
  test("finds all stored images after a restart, in order, and removes incomplete files", () => {
    const folder = newFolder();
    const spool = new Spool(folder);
    const frames = [3_000, 1_000, 2_000].map((at) => spool.keep(Buffer.from(`image of ${at}`), taken(at)));
    writeFileSync(join(folder, "frames", "something.part"), "half");
    const again = new Spool(folder);
    expect(again.resolved.map(({ at }) => at)).toEqual([1_000, 2_000, 3_000]);
    expect(again.bytes).toBe(frames.reduce((sum, { size }) => sum + size, 0));
    expect(readdirSync(join(folder, "frames"))).toHaveLength(3);
    expect(frames.every((frame) => again.isWhole(frame))).toBe(true);
  });

  test("ends each image once: an image in the ledger is not sent again when its file appears again", () => {
    const folder = newFolder();
    const spool = new Spool(folder);
    const [sent, rejected] = [spool.keep(Buffer.from("sent"), taken(1)), spool.keep(Buffer.from("refused"), taken(2))];
    spool.end(sent, "completed");
    spool.end(rejected, "rejected", "not-jpeg");
    // A file was deleted and one renamed without a sync of the folder. A power failure may undo both.
    writeFileSync(spool.path(sent), "sent");
    writeFileSync(spool.path(rejected), "refused");
    appendFileSync(join(folder, "ledger.jsonl"), '{"captureId":"cut off by a power fai');
    const again = new Spool(folder);
    expect(again.count).toBe(0);
    expect(again.apart).toBe(1);
    expect([idOf(sent), idOf(rejected), randomUUID()].map((id) => again.knows(id))).toEqual([true, true, false]);
    expect(again.totals).toMatchObject({ completed: 1, rejected: 1, dropped: 0 });
    expect(readdirSync(join(folder, "frames"))).toEqual([]);
    again.end(again.keep(Buffer.from("third"), taken(3)), "dropped", "retention");
    expect(new Spool(folder).totals).toMatchObject({ completed: 1, rejected: 1, dropped: 1 });
  });

  test("detects every damage of a file", () => {
    const spool = new Spool(newFolder());
    const bytes = Buffer.alloc(200_000, 7);
    const [cut, changed, gone, whole] = [1, 2, 3, 4].map((at) => spool.keep(bytes, taken(at)));
    truncateSync(spool.path(cut!), 0);
    writeFileSync(spool.path(changed!), Buffer.alloc(200_000, 8));
    rmSync(spool.path(gone!));
    expect([cut, changed, gone, whole].map((frame) => spool.isWhole(frame!))).toEqual([false, false, false, true]);
    spool.end(gone!, "damaged", "local-file-damaged");
    expect(spool.count).toBe(3);
  });

  test("sets the time of an image by one rename, which changes nothing else", () => {
    const folder = newFolder();
    const spool = new Spool(folder);
    const reading = { bootId: randomUUID(), uptime: 5_000, wall: 0 };
    const kept = spool.keep(Buffer.from("early"), { ...taken(0), takenAt: { quality: "unresolved", reading } });
    expect([spool.resolved.length, spool.unresolved.length]).toEqual([0, 1]);
    expect(new Spool(folder).readingOf(kept)).toEqual(reading);
    const resolved = spool.resolve(kept, { quality: "synchronized", at: 1_700_000_000_000 });
    expect(intentOfFrame(resolved)).toEqual({
      ...intentOfFrame(kept),
      takenAt: { quality: "synchronized", at: 1_700_000_000_000 },
    });
    expect(new Spool(folder).resolved).toEqual([resolved]);
    expect(spool.bytes).toBe(5);
  });

  test("can be read only by its user", () => {
    const folder = newFolder();
    const spool = new Spool(folder);
    expect(statSync(spool.path(spool.keep(Buffer.from("x"), taken(1)))).mode & 0o077).toBe(0);
  });
});

describe("a full disk", () => {
  test("thins images evenly: no gap exceeds twice the even distance", () => {
    let times = Array.from({ length: 257 }, (_, index) => index * 100);
    while (times.length > 33) {
      const at = mostSuperfluous(times, () => true)!;
      times = times.filter((_, index) => index !== at);
    }
    const holes = times.slice(1).map((time, index) => time - times[index]!);
    expect([times[0], times.at(-1)]).toEqual([0, 25_600]);
    expect(Math.max(...holes)).toBeLessThanOrEqual(2 * (25_600 / 32));
  });

  test("deletes the least important image of the camera with most images, and counts it", () => {
    const [large, small] = [new Spool(newFolder()), new Spool(newFolder())];
    const held = new Set<string>();
    const disk = new Disk(root, { maxMegabytes: 1, minFreeMegabytes: 0 }, () => 1e12);
    for (const spool of [large, small])
      disk.join({ spool, holds: ({ name }) => held.has(name), thinned: () => undefined });
    const bytes = Buffer.alloc(100_000);
    const frames = [0, 10, 20, 21, 30, 40, 50, 60].map((at) => large.keep(bytes, taken(at)));
    small.keep(bytes, taken(5));
    held.add(frames[2]!.name);
    expect(disk.makeRoom(2 * bytes.length)).toBe(true);
    expect(large.resolved.map(({ at }) => at)).toEqual([0, 10, 20, 30, 40, 50, 60]);
    expect([large.totals.thinned, small.totals.thinned]).toEqual([1, 0]);
    expect(large.ends()).toMatchObject([{ end: "thinned", cause: "disk-full" }]);
  });

  test("leaves nothing of a refused image, and stores the next one", () => {
    const folder = newFolder();
    const spool = new Spool(folder);
    const bytes = drawn(1);
    const checksumSha256 = createHash("sha256").update(bytes).digest("hex");
    const intent = taken(1);
    // Every write to this device fails, as on a full disk.
    const name = fileNameOf({ ...intent, sizeBytes: bytes.length, checksumSha256 });
    symlinkSync("/dev/full", join(folder, "frames", `${name}.part`));
    expect(() => spool.keep(bytes, intent)).toThrow("ENOSPC");
    expect(readdirSync(join(folder, "frames"))).toEqual([]);
    expect(spool.count).toBe(0);
    expect(spool.isWhole(spool.keep(bytes, intent))).toBe(true);
  });
});
