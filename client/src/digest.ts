export const hex = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** SHA-256 of bytes that fit into memory, in lower-case hexadecimal digits. */
export const digestOf = async (bytes: Blob): Promise<string> =>
  hex(new Uint8Array(await crypto.subtle.digest("SHA-256", await bytes.arrayBuffer())));
