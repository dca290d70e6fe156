const encoder = new TextEncoder();
const decoder = new TextDecoder();
const IV_BYTES = 12;

async function keyFrom(secret: string): Promise<CryptoKey> {
  const base = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveKey"]);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(32), info: encoder.encode("sealed-answer") };
  return crypto.subtle.deriveKey(hkdf, base, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

/** Encrypts a text under a secret that need not be kept: AES-256-GCM, HKDF-SHA-256; base64 with the IV first. */
export async function seal(text: string, secret: string): Promise<string> {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
  const data = new Uint8Array(
    await crypto.subtle.encrypt({ name: "AES-GCM", iv }, await keyFrom(secret), encoder.encode(text)),
  );
  const all = new Uint8Array(IV_BYTES + data.length);
  all.set(iv);
  all.set(data, IV_BYTES);
  return all.toBase64();
}

/** The text that was sealed. @throws when the secret is another or the data was changed. */
export async function openSealed(sealed: string, secret: string): Promise<string> {
  const all = Uint8Array.fromBase64(sealed);
  const iv = all.slice(0, IV_BYTES);
  return decoder.decode(
    await crypto.subtle.decrypt({ name: "AES-GCM", iv }, await keyFrom(secret), all.slice(IV_BYTES)),
  );
}
