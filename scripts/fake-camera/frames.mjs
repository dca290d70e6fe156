import { createHash, randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";

/** Writes a file atomically: after a power failure it is complete or absent. */
function writeWhole(file, bytes) {
  const temporary = `${file}.part`;
  const handle = openSync(temporary, "w", 0o600);
  writeSync(handle, bytes);
  fsyncSync(handle);
  closeSync(handle);
  renameSync(temporary, file);
}

/**
 * The storage of a device: its credential, and the images that it must still send, each with its intent. The intent
 * survives every restart, and the bytes are deleted only after a receipt.
 * @param {string} folder
 */
export function openFrames(folder) {
  const queue = join(folder, "queue");
  mkdirSync(queue, { recursive: true, mode: 0o700 });
  const identity = join(folder, "identity.json");
  const proposal = join(folder, "proposal.json");
  const path = (captureId, ending) => join(queue, `${captureId}.${ending}`);
  const read = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null);
  const write = (file, value) => writeWhole(file, Buffer.from(JSON.stringify(value)));
  return {
    identity: () => read(identity),
    setIdentity: (held) => write(identity, held),
    /** The proposal of the current pairing; null without one. */
    proposal: () => read(proposal),
    setProposal: (made) => (made === null ? rmSync(proposal, { force: true }) : write(proposal, made)),

    /** Stores an image with its intent. The bytes come first, so every intent has its bytes. */
    keep(bytes, { capturedAt, assignmentGeneration, clockQuality = "synchronized" }) {
      const captureId = randomUUID();
      writeWhole(path(captureId, "jpg"), bytes);
      const intent = {
        captureId,
        assignmentGeneration,
        capturedAtUtc: new Date(capturedAt).toISOString(),
        sizeBytes: bytes.length,
        checksumSha256: createHash("sha256").update(bytes).digest("hex"),
        clockQuality,
        contentType: "image/jpeg",
      };
      write(path(captureId, "json"), intent);
      return intent;
    },
    /** The intents of all images to send. The oldest come first. */
    owed: () =>
      readdirSync(queue)
        .filter((name) => name.endsWith(".json"))
        .map((name) => JSON.parse(readFileSync(join(queue, name), "utf8")))
        .sort((a, b) => (a.capturedAtUtc < b.capturedAtUtc ? -1 : 1)),
    bytesOf: ({ captureId }) => readFileSync(path(captureId, "jpg")),
    /** Deletes an image. The intent is deleted first, so every intent has its bytes. */
    drop({ captureId }) {
      for (const ending of ["json", "jpg"]) rmSync(path(captureId, ending), { force: true });
    },
  };
}
