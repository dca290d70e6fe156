import { open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { Refusal } from "../setup/project.mjs";

/*
 * Reads a ZIP as the service writes it (src/platform/zip): members are stored without compression, one directly after the other. Every other
 * form is refused. So no member is larger than its bytes in the file, and no two members share bytes.
 */

const [LOCAL, CENTRAL, END, END_64, LOCATOR_64] = [0x04034b50, 0x02014b50, 0x06054b50, 0x06064b50, 0x07064b50];
const [END_BYTES, END_64_BYTES, LOCATOR_BYTES] = [22, 56, 20];
const MAX_32 = 0xffff_ffff;
/** Largest directory, bytes: it is in memory. An export has at most 200,000 files. */
const MAX_DIRECTORY_BYTES = 256 * 1024 * 1024;
/** Flag: the name is in UTF-8. */
const UTF8_NAME = 1 << 11;
const PIECE_BYTES = 4 * 1024 * 1024;
/** Longest line of a text, bytes. A row of D1 has at most 2 MB. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

const decoder = new TextDecoder("utf-8", { fatal: true });

const refuse = (path, why) => {
  throw new Refusal(`${path} is no export of this service: ${why} Nothing was imported.`);
};

/** Whether a name stays inside the folder into which somebody unpacks the ZIP. */
const isInside = (name) =>
  name !== "" &&
  name.split("/").every((part) => part !== "" && part !== "." && part !== "..") &&
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  !/[\u0000-\u001f\\]|^[A-Za-z]:/.test(name);

async function readAt(file, path, offset, length) {
  const bytes = Buffer.alloc(length);
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) refuse(path, "it ends too early.");
    filled += bytesRead;
  }
  return bytes;
}

const far = (value) => {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new RangeError("a number of the ZIP is too large");
  return Number(value);
};

/** Where the directory is, and how many members it has. */
async function readEnd(file, path, fileBytes) {
  if (fileBytes < END_BYTES) refuse(path, "it is too short.");
  const at = fileBytes - END_BYTES;
  const end = await readAt(file, path, at, END_BYTES);
  if (end.readUInt32LE(0) !== END) refuse(path, "the end of its directory is missing.");
  let [members, size, offset, stop] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16), at];
  if (members === 0xffff || size === MAX_32 || offset === MAX_32) {
    stop = at - LOCATOR_BYTES - END_64_BYTES;
    if (stop < 0) refuse(path, "the end of its directory is missing.");
    const large = await readAt(file, path, stop, END_64_BYTES + LOCATOR_BYTES);
    if (large.readUInt32LE(0) !== END_64 || large.readUInt32LE(END_64_BYTES) !== LOCATOR_64)
      refuse(path, "the end of its directory is damaged.");
    [members, size, offset] = [32, 40, 48].map((place) => far(large.readBigUInt64LE(place)));
  }
  if (offset + size !== stop) refuse(path, "its directory is not where its end says.");
  if (size > MAX_DIRECTORY_BYTES) refuse(path, "it has too many files.");
  return { members, size, offset };
}

/** The members by name, in the order of the file. */
async function readMembers(file, path, fileBytes) {
  const { members, size, offset: directoryAt } = await readEnd(file, path, fileBytes);
  const directory = await readAt(file, path, directoryAt, size);
  const found = new Map();
  let [at, next] = [0, 0];
  while (at < size) {
    if (at + 46 > size || directory.readUInt32LE(at) !== CENTRAL) refuse(path, "its directory is damaged.");
    const [flags, method] = [directory.readUInt16LE(at + 8), directory.readUInt16LE(at + 10)];
    const [crc, packed, bytes] = [16, 20, 24].map((place) => directory.readUInt32LE(at + place));
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((place) => directory.readUInt16LE(at + place));
    const end = at + 46 + nameBytes + extraBytes + commentBytes;
    if (end > size) refuse(path, "its directory is damaged.");
    const raw = directory.subarray(at + 46, at + 46 + nameBytes);
    let name;
    try {
      name = decoder.decode(raw);
    } catch {
      return refuse(path, "the name of a file is not in UTF-8.");
    }
    if (!isInside(name)) refuse(path, `it has a file with the name ${JSON.stringify(name.slice(0, 200))}.`);
    if (found.has(name)) refuse(path, `it has ${name} twice.`);
    if (method !== 0 || packed !== bytes) refuse(path, `${name} is compressed. Use the ZIP as it was downloaded.`);
    if ((flags & ~UTF8_NAME) !== 0 || bytes === MAX_32) refuse(path, `${name} has a form that is not known.`);
    const [start, written] = [next, directory.readUInt32LE(at + 42)];
    const header = await readAt(file, path, start, 30 + nameBytes);
    const isSame =
      (written === start || (written === MAX_32 && start >= MAX_32)) &&
      header.readUInt32LE(0) === LOCAL &&
      header.readUInt16LE(26) === nameBytes &&
      header.readUInt32LE(18) === bytes &&
      header.subarray(30).equals(raw);
    if (!isSame) refuse(path, `${name} is not where its directory says, or shares bytes with another file.`);
    const content = start + 30 + nameBytes + header.readUInt16LE(28);
    next = content + bytes;
    if (next > directoryAt) refuse(path, `${name} is longer than the ZIP.`);
    found.set(name, { name, at: content, size: bytes, crc });
    at = end;
  }
  if (found.size !== members || next !== directoryAt) refuse(path, "it has bytes that are in no file.");
  return found;
}

/**
 * Opens a ZIP of the service while `work` runs.
 * @param {string} path
 * @param {(zip: { members: Map<string, { name: string, size: number }>, read(member, offset, length): Promise<Buffer>,
 *   pieces(member): AsyncIterable<Buffer>, text(member, maxBytes): Promise<string>, lines(member): AsyncIterable<string> }) => Promise<T>} work
 * @throws Refusal for a file of another form. `pieces`, `text` and `lines` refuse bytes with another CRC-32 than the directory says
 * @template T
 */
export async function withZip(path, work) {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const members = await readMembers(file, path, size);
    const read = (member, offset, length) => readAt(file, path, member.at + offset, length);
    async function* pieces(member) {
      let sum = 0;
      for (let at = 0; at < member.size; at += PIECE_BYTES) {
        const piece = await read(member, at, Math.min(PIECE_BYTES, member.size - at));
        sum = crc32(piece, sum);
        yield piece;
      }
      if (sum !== member.crc) refuse(path, `${member.name} was changed: it has another sum.`);
    }
    const decoded = (bytes, { name }) => {
      try {
        return decoder.decode(bytes);
      } catch {
        return refuse(path, `${name} is not in UTF-8.`);
      }
    };
    async function* lines(member) {
      let rest = [];
      let restBytes = 0;
      for await (const piece of pieces(member)) {
        let from = 0;
        for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, from)) {
          yield decoded(Buffer.concat([...rest, piece.subarray(from, end)]), member);
          [rest, restBytes, from] = [[], 0, end + 1];
        }
        rest.push(piece.subarray(from));
        restBytes += piece.length - from;
        if (restBytes > MAX_LINE_BYTES) refuse(path, `${member.name} has a line that is too long.`);
      }
      if (restBytes > 0) refuse(path, `${member.name} ends within a line.`);
    }
    const text = async (member, maxBytes) => {
      if (member.size > maxBytes) refuse(path, `${member.name} is too long.`);
      const all = [];
      for await (const piece of pieces(member)) all.push(piece);
      return decoded(Buffer.concat(all), member);
    };
    return await work({ members, read, pieces, text, lines, refuse: (why) => refuse(path, why) });
  } finally {
    await file.close();
  }
}
