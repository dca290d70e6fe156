import { createDecipheriv } from "node:crypto";
import { latin1 } from "../../../platform/latin1";
import { breathe } from "../../../platform/pace";
import { MAX_PDF_STREAMS } from "../../limits";
import { Unreadable } from "../extracted";
import { dictionaryAt, MAX_DICTIONARY_LENGTH, namesOf, stringOf, valuesOf } from "./pdf-dictionary";
import { concat, type EncryptionDictionary, keyOf, md5, rc4 } from "./pdf-key";
import {
  END_OF_STREAM,
  find,
  isEndOfStream,
  lineAfter,
  SEARCHED_BYTES_PER_UNIT,
  STREAM,
  StreamEnds,
  tooManyStreams,
} from "./pdf-streams";
import { decryptStrings, type StringCipher } from "./pdf-strings";

type Cipher = "none" | "rc4" | "aes-128" | "aes-256";

interface Decryption {
  key: Uint8Array;
  streams: Cipher;
  strings: Cipher;
  /** False if the metadata stream is not encrypted. */
  encryptsMetadata: boolean;
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));
/** Number of bytes that are searched at once, and their overlap: a name across two windows is found in one of them. */
const WINDOW_BYTES = 64 * 1024;
const WINDOW_OVERLAP_BYTES = 256;
/** Maximum number of encryption dictionaries and file ids that are tried. Each incremental update adds one. */
const MAX_CANDIDATES = 8;
/** Work for the dictionary of a stream, in the characters that other parsers read meanwhile. */
const WORK_PER_STREAM = 512;
/** Maximum length of an encryption dictionary, characters. */
const MAX_ENCRYPTION_LENGTH = 16 * 1024;

/** A pattern for a PDF name. Each character may be written as `#` and two hex digits. */
const nameOf = (name: string): RegExp =>
  new RegExp(`/${Array.from(name, (char) => `(?:${char}|#${char.charCodeAt(0).toString(16)})`).join("")}`, "gi");
const ENCRYPT = nameOf("Encrypt");
const ID = /\/ID[\s]*\[[\s]*(?=[<(])/g;

/** The offsets of a pattern in the bytes, at most `most`. */
async function offsetsOf(bytes: Uint8Array, pattern: RegExp, most: number): Promise<number[]> {
  const found: number[] = [];
  for (let from = 0; from < bytes.length && found.length < most; from += WINDOW_BYTES) {
    await breathe(WINDOW_BYTES / 8);
    const text = latin1(bytes.subarray(from, from + WINDOW_BYTES + WINDOW_OVERLAP_BYTES));
    for (const { index } of text.matchAll(pattern)) if (from + index > (found.at(-1) ?? -1)) found.push(from + index);
  }
  return found.slice(0, most);
}

/**
 * Decrypts the streams and strings of a PDF that opens without a password, in place, and renames its `/Encrypt` entry
 * (ISO 32000-2, 7.6). After that nothing decrypts the file again, so `screenPdf` sees the same bytes as pdf.js. PDFs that
 * are not encrypted do not change.
 * @throws Unreadable encrypted, if the PDF needs a password.
 */
export async function decryptPdf(bytes: Uint8Array): Promise<void> {
  const names = await offsetsOf(bytes, ENCRYPT, Number.POSITIVE_INFINITY);
  if (names.length === 0) return;
  const lock = await decryptionOf(bytes, names);
  if (lock === "shut") throw new Unreadable("encrypted", "The PDF opens only with a password.");
  for (const at of names) bytes[at + 1] = 0x58;
  if (lock === "none") return;
  const decryptString: StringCipher = (data, number, generation) => {
    const length = decryptData(data, lock.key, lock.strings, number, generation);
    return length === null ? null : data.subarray(0, length);
  };
  const ends = new StreamEnds(bytes);
  let [done, streams] = [0, 0];
  for (let at = find(bytes, STREAM, 0); at >= 0; at = find(bytes, STREAM, at + STREAM.length)) {
    if (isEndOfStream(bytes, at)) continue;
    const start = lineAfter(bytes, at + STREAM.length);
    const end = ends.after(start);
    if (++streams > MAX_PDF_STREAMS) throw tooManyStreams();
    const before = latin1(bytes.subarray(Math.max(0, at - MAX_DICTIONARY_LENGTH), at));
    const [, number, generation, dictionary = before] =
      /^[\s\S]*(?:^|\D)(\d{1,10})\s+(\d{1,5})\s+obj\b([\s\S]*)$/.exec(before) ?? [];
    await breathe(WORK_PER_STREAM + (end - start) / 8);
    if (lock.strings !== "none") await decryptStrings(bytes, done, at, decryptString);
    if (isEncrypted(dictionary, lock))
      decryptStream(bytes.subarray(start, end), lock, Number(number), Number(generation));
    done = end;
    at = Math.max(at, end + END_OF_STREAM.length - STREAM.length);
  }
  if (lock.strings !== "none") await decryptStrings(bytes, done, bytes.length, decryptString);
}

/** Whether a stream is encrypted. Cross-reference streams never are, and others declare an exception. */
function isEncrypted(dictionary: string, { encryptsMetadata }: Decryption): boolean {
  const types = valuesOf(dictionary, "Type");
  if (types.includes("/XRef") || (types.includes("/Metadata") && !encryptsMetadata)) return false;
  const filters = valuesOf(dictionary, "Filter").flatMap(namesOf);
  return !filters.includes("Crypt") || /\/Name\s*\/(?!Identity\b)/.test(dictionary);
}

/**
 * The decryption of the file, if it opens with an empty password. `names` are the offsets of `/Encrypt`, which may also
 * occur in text. "shut": the file needs a password; "none": it is not encrypted.
 */
async function decryptionOf(bytes: Uint8Array, names: readonly number[]): Promise<Decryption | "shut" | "none"> {
  const ids = (await offsetsOf(bytes, ID, MAX_CANDIDATES)).map((at) => fileIdAt(bytes, at));
  let isLocked = false;
  for (const at of names.slice(-MAX_CANDIDATES)) {
    await breathe(bytes.length / SEARCHED_BYTES_PER_UNIT);
    const dictionary = encryptionAt(bytes, at);
    if (dictionary === null || numberOf(dictionary, "V") === null) continue;
    isLocked = true;
    const [streams, strings] = [cipherOf(dictionary, "StmF"), cipherOf(dictionary, "StrF")];
    // Only attached files are encrypted.
    if (streams === "none" && strings === "none") return "none";
    const given = readEncryption(dictionary);
    if (given === null || streams === null || strings === null) continue;
    for (const id of [...ids, new Uint8Array(0)]) {
      const key = keyOf(given, id);
      if (key !== null) return { key, streams, strings, encryptsMetadata: given.encryptsMetadata };
    }
  }
  return isLocked ? "shut" : "none";
}

const fileIdAt = (bytes: Uint8Array, at: number): Uint8Array => {
  const text = latin1(bytes.subarray(at, at + 512));
  return bytesOf(stringOf(text, text.search(/[<(]/)) ?? "");
};

/** The encryption dictionary that follows `/Encrypt` at `at`, directly or by reference. */
function encryptionAt(bytes: Uint8Array, at: number): string | null {
  const text = latin1(bytes.subarray(at, at + MAX_ENCRYPTION_LENGTH));
  const [, number, generation] = /^\/[^\s/<>[\]()]+\s+(\d+)\s+(\d+)\s+R/.exec(text) ?? [];
  if (number === undefined) return dictionaryAt(text, /^\/[^\s/<>[\]()]+\s*(?=<<)/.exec(text)?.[0].length ?? -1);
  const marker = bytesOf(`${number} ${generation} obj`);
  let tried = 0;
  for (let found = find(bytes, marker, 0); found >= 0; found = find(bytes, marker, found + 1)) {
    if (++tried > MAX_CANDIDATES) return null;
    const before = bytes[found - 1] ?? 0x20;
    if (before >= 0x30 && before <= 0x39) continue;
    const body = latin1(bytes.subarray(found, found + MAX_ENCRYPTION_LENGTH));
    const dictionary = dictionaryAt(body, body.indexOf("<<"));
    if (dictionary !== null) return dictionary;
  }
  return null;
}

const numberOf = (dictionary: string, key: string): number | null => {
  const [, value] = new RegExp(`/${key}\\s*(-?\\d+)`).exec(dictionary) ?? [];
  return value === undefined ? null : Number(value);
};

function readEncryption(dictionary: string): EncryptionDictionary | null {
  const [version, revision] = [numberOf(dictionary, "V"), numberOf(dictionary, "R")];
  const permissions = numberOf(dictionary, "P");
  const text = (key: string): Uint8Array | null => {
    const found = new RegExp(`/${key}\\s*(?=[<(])`).exec(dictionary);
    const value = found === null ? null : stringOf(dictionary, found.index + found[0].length);
    return value === null ? null : bytesOf(value);
  };
  const [owner, user] = [text("O"), text("U")];
  if (version === null || revision === null || permissions === null || owner === null || user === null) return null;
  const bits = version === 4 ? 128 : (numberOf(dictionary.replace(/\/CF\s*<<[\s\S]*?>>\s*>>/, ""), "Length") ?? 40);
  const keyLength = revision === 2 ? 5 : Math.min(16, Math.max(5, bits >> 3));
  const encryptsMetadata = !/\/EncryptMetadata\s+false/.test(dictionary);
  const [ownerKey, userKey] = [text("OE") ?? new Uint8Array(0), text("UE") ?? new Uint8Array(0)];
  return { revision, keyLength, permissions, owner, ownerKey, user, userKey, encryptsMetadata };
}

/** The cipher of streams or strings. Null for an unknown one. */
function cipherOf(dictionary: string, what: "StmF" | "StrF"): Cipher | null {
  const version = numberOf(dictionary, "V") ?? 0;
  if (version < 4) return "rc4";
  const [, filter = "Identity"] = new RegExp(`/${what}\\s*/(\\w+)`).exec(dictionary) ?? [];
  if (filter === "Identity") return "none";
  const [, method] = new RegExp(`/${filter}\\s*<<[^>]*?/CFM\\s*/(\\w+)`).exec(dictionary) ?? [];
  return method === "V2" ? "rc4" : method === "AESV2" ? "aes-128" : method === "AESV3" ? "aes-256" : null;
}

/** Decrypts the data of one stream in place. Spaces fill the rest, because decrypted data is shorter. */
function decryptStream(data: Uint8Array, { key, streams }: Decryption, number: number, generation: number): void {
  const length = decryptData(data, key, streams, number, generation);
  if (length !== null) data.fill(0x20, length);
}

/** Decrypts data in place. @returns the new length, or null if the data is not encrypted. */
function decryptData(
  data: Uint8Array,
  key: Uint8Array,
  cipher: Cipher,
  number: number,
  generation: number,
): number | null {
  if (cipher === "none") return null;
  const own = cipher === "aes-256" ? key : keyOfObject(key, number, generation, cipher === "aes-128");
  if (cipher === "rc4") return rc4(own, data).length;
  const length = data.length - (data.length % 16);
  if (length < 32) return null;
  const name = cipher === "aes-256" ? "aes-256-cbc" : "aes-128-cbc";
  const decipher = createDecipheriv(name, own, data.slice(0, 16)).setAutoPadding(false);
  let at = 0;
  for (let from = 16; from < length; from += WINDOW_BYTES) {
    const plain = decipher.update(data.subarray(from, Math.min(from + WINDOW_BYTES, length)));
    data.set(plain, at);
    at += plain.length;
  }
  const padding = data[at - 1] ?? 0;
  return padding >= 1 && padding <= 16 ? at - padding : at;
}

/** The key of one object (ISO 32000-2, 7.6.3.2, algorithm 1). */
function keyOfObject(key: Uint8Array, number: number, generation: number, isAes: boolean): Uint8Array {
  const object = Uint8Array.of(number, number >> 8, number >> 16, generation, generation >> 8);
  const salt = isAes ? bytesOf("sAlT") : new Uint8Array(0);
  return md5(concat(key, object, salt)).subarray(0, Math.min(16, key.length + 5));
}
