import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { fromHex } from "../../../platform/crypto/bytes";

/** The encryption dictionary of a PDF (ISO 32000-2, 7.6). */
export interface EncryptionDictionary {
  revision: number;
  /** Length of the file key, bytes. */
  keyLength: number;
  permissions: number;
  /** The strings /O, /OE, /U and /UE. */
  owner: Uint8Array;
  ownerKey: Uint8Array;
  user: Uint8Array;
  userKey: Uint8Array;
  encryptsMetadata: boolean;
}

/** The padding of passwords (ISO 32000-2, 7.6.4.3.2). */
const PADDING = fromHex("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a");
const NO_IV = new Uint8Array(16);

export const concat = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};

const digest = (name: "md5" | "sha256" | "sha384" | "sha512", ...parts: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(
    createHash(name)
      .update(concat(...parts))
      .digest(),
  );
export const md5 = (...parts: readonly Uint8Array[]): Uint8Array => digest("md5", ...parts);

/** Encrypts or decrypts data with RC4, in place. */
export function rc4(key: Uint8Array, data: Uint8Array): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, n) => n);
  const swap = (a: number, b: number) => {
    const kept = state[a] as number;
    state[a] = state[b] as number;
    state[b] = kept;
  };
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + (state[i] as number) + (key[i % key.length] as number)) & 255;
    swap(i, j);
  }
  for (let n = 0, i = 0, j = 0; n < data.length; n++) {
    i = (i + 1) & 255;
    j = (j + (state[i] as number)) & 255;
    swap(i, j);
    data[n] = (data[n] as number) ^ (state[((state[i] as number) + (state[j] as number)) & 255] as number);
  }
  return data;
}

const littleEndian = (value: number, bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, n) => (value >> (8 * n)) & 255);

const same = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && a.every((byte, n) => byte === b[n]);

/** The file key for an empty password in revisions 2 to 4 (ISO 32000-2, algorithms 2, 4 and 5): MD5 and RC4. */
function keyOfRevision2To4(given: EncryptionDictionary, fileId: Uint8Array): Uint8Array | null {
  const { revision, keyLength, owner, permissions, user } = given;
  const metadata = revision >= 4 && !given.encryptsMetadata ? new Uint8Array(4).fill(255) : new Uint8Array(0);
  let hash = md5(PADDING, owner.subarray(0, 32), littleEndian(permissions, 4), fileId, metadata);
  if (revision >= 3) for (let n = 0; n < 50; n++) hash = md5(hash.subarray(0, keyLength));
  const key = hash.slice(0, keyLength);
  if (revision === 2) return same(rc4(key, PADDING.slice()), user.subarray(0, 32)) ? key : null;
  const proof = md5(PADDING, fileId);
  for (let n = 0; n < 20; n++)
    rc4(
      Uint8Array.from(key, (byte) => byte ^ n),
      proof,
    );
  return same(proof, user.subarray(0, 16)) ? key : null;
}

/**
 * The hash of an empty password with a salt, and with the user string for the owner's password: SHA-256 in revision 5,
 * algorithm 2.B of ISO 32000-2 in revision 6.
 */
function hashOfRevision5To6(revision: number, salt: Uint8Array, user = new Uint8Array(0)): Uint8Array {
  let key = digest("sha256", salt, user);
  if (revision === 5) return key;
  for (let round = 0, last = 0; round < 64 || last > round - 32; round++) {
    const once = concat(key, user);
    const input = concat(...Array.from({ length: 64 }, () => once));
    const cipher = createCipheriv("aes-128-cbc", key.subarray(0, 16), key.subarray(16, 32)).setAutoPadding(false);
    const output = new Uint8Array(cipher.update(input));
    const rest = output.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = digest(rest === 0 ? "sha256" : rest === 1 ? "sha384" : "sha512", output);
    last = output.at(-1) ?? 0;
  }
  return key.subarray(0, 32);
}

/**
 * The file key in revisions 5 and 6 (ISO 32000-2, algorithms 2.A, 11 and 12). The file stores it encrypted with each
 * password, and the user's or the owner's password can be the empty one.
 */
function keyOfRevision5To6({ revision, owner, ownerKey, user, userKey }: EncryptionDictionary): Uint8Array | null {
  if (user.length < 48) return null;
  const ways = [
    { proof: user, kept: userKey, with: undefined },
    { proof: owner, kept: ownerKey, with: user.slice(0, 48) },
  ];
  for (const { proof, kept, with: more } of ways) {
    if (proof.length < 48 || kept.length < 32) continue;
    if (!same(hashOfRevision5To6(revision, proof.subarray(32, 40), more), proof.subarray(0, 32))) continue;
    const under = hashOfRevision5To6(revision, proof.subarray(40, 48), more);
    const decipher = createDecipheriv("aes-256-cbc", under, NO_IV).setAutoPadding(false);
    return new Uint8Array(decipher.update(kept.subarray(0, 32)));
  }
  return null;
}

/** The file key of a PDF that opens with an empty password, or null. */
export const keyOf = (given: EncryptionDictionary, fileId: Uint8Array): Uint8Array | null =>
  given.revision >= 5 ? keyOfRevision5To6(given) : keyOfRevision2To4(given, fileId);
