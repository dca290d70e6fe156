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

/** Writes a file so that a power failure leaves all of it or none. */
function writeWhole(file, bytes) {
  const temporary = `${file}.part`;
  const handle = openSync(temporary, "w", 0o600);
  writeSync(handle, bytes);
  fsyncSync(handle);
  closeSync(handle);
  renameSync(temporary, file);
}

/**
 * What a device keeps: its credential, and the images that it still owes, each with what is announced of
 * it. The same intent is read back after any restart, and bytes go only with a receipt.
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
    /** With what it is about to pair; null when there is nothing under way. */
    proposal: () => read(proposal),
    setProposal: (made) => (made === null ? rmSync(proposal, { force: true }) : write(proposal, made)),

    /** Keeps an image with its intent: the bytes first, so that no intent is without them. */
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
    /** Everything that is still owed, oldest first. */
    owed: () =>
      readdirSync(queue)
        .filter((name) => name.endsWith(".json"))
        .map((name) => JSON.parse(readFileSync(join(queue, name), "utf8")))
        .sort((a, b) => (a.capturedAtUtc < b.capturedAtUtc ? -1 : 1)),
    bytesOf: ({ captureId }) => readFileSync(path(captureId, "jpg")),
    /** Lets an image go; the intent first, so that none is left without its bytes. */
    drop({ captureId }) {
      for (const ending of ["json", "jpg"]) rmSync(path(captureId, ending), { force: true });
    },
  };
}
