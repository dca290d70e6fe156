const encoder = new TextEncoder();

/** RFC 5987 attr-char: what may stand unescaped in `filename*`. */
const ATTR_CHAR = /[A-Za-z0-9!#$&+.^_`|~-]/;

const extended = (text: string): string =>
  Array.from(encoder.encode(text), (byte) => {
    const char = String.fromCharCode(byte);
    return ATTR_CHAR.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");

/**
 * Content-Disposition with a file name (RFC 6266): an ASCII form for old clients and, where that
 * loses something, the exact name as `filename*` in UTF-8.
 */
export function contentDisposition(type: "inline" | "attachment", fileName: string): string {
  const ascii = fileName.replace(/[^\x20-\x7e]|["\\%]/gu, "_");
  const plain = `${type}; filename="${ascii}"`;
  return ascii === fileName ? plain : `${plain}; filename*=UTF-8''${extended(fileName)}`;
}
