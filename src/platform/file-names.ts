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
