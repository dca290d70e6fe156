/** Names of devices, which Windows opens instead of a file, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])[ ]*(?:\.|$)/i;

/**
 * A file name that Windows, macOS and Linux can save: without the characters that Windows refuses, a point or space at its
 * end, and the name of a device. The file has no imports, because it runs in the Worker and in pages.
 */
export function savableName(name: string): string {
  const safe = name
    .replace(/[<>:"/\\|?*\p{Cc}\p{Bidi_Control}]/gu, "_")
    .replace(/[. ]+$/, (end) => "_".repeat(end.length));
  return DEVICE.test(safe) ? `_${safe}` : safe;
}

/** Most bytes of a name in a folder on Linux, with room for what is added. */
const MAX_NAME_BYTES = 220;
const encoder = new TextEncoder();

/** The first characters of a text that fit. No character is cut. */
function first(text: string, length: number, bytes: number): string {
  let kept = "";
  let size = 0;
  for (const character of text) {
    size += encoder.encode(character).length;
    if (kept.length + character.length > length || size > bytes) break;
    kept += character;
  }
  return kept;
}

/** A name that every system can save: at most `length` characters, with the ending of the name. */
export function safeName(name: string, length: number): string {
  const safe = savableName(name.normalize("NFC").trim()) || "_";
  if (safe.length <= length && encoder.encode(safe).length <= MAX_NAME_BYTES) return safe;
  const ending = /\.[a-z0-9]{1,8}$/i.exec(safe)?.[0] ?? "";
  const start = first(
    safe.slice(0, safe.length - ending.length),
    length - ending.length,
    MAX_NAME_BYTES - ending.length,
  );
  return `${savableName(start.trim()) || "_"}${ending}`;
}
