const ascii = (bytes: Uint8Array, from: number, to: number): string => String.fromCharCode(...bytes.subarray(from, to));

/** Kinds of picture that have derivatives. */
export type PictureType = "image/jpeg" | "image/png" | "image/webp";
export const PICTURE_TYPES: readonly string[] = ["image/jpeg", "image/png", "image/webp"] satisfies PictureType[];

/** The kind of picture a file's first bytes say it is, or null. */
export function pictureType(head: Uint8Array): PictureType | null {
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return "image/jpeg";
  if (ascii(head, 0, 8) === "\x89PNG\r\n\x1a\n") return "image/png";
  if (ascii(head, 0, 4) === "RIFF" && ascii(head, 8, 12) === "WEBP") return "image/webp";
  return null;
}
