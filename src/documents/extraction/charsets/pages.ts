import tables from "./pages.txt";

/** The characters of the bytes 0x80 to 0xff in the encodings of DOS and of old Macs that are not in the Encoding Standard. */
const PAGES: ReadonlyMap<string, string> = new Map(
  tables
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t") as [string, string]),
);

/** Names that the Encoding Standard does not know. */
const ALIASES: Readonly<Record<string, string>> = {
  "mac-cyrillic": "x-mac-cyrillic",
  maccyrillic: "x-mac-cyrillic",
  macroman: "macintosh",
  "mac-roman": "macintosh",
  "mac-ce": "x-mac-ce",
  "x-mac-centralroman": "x-mac-ce",
  "x-mac-centraleurroman": "x-mac-ce",
  "mac-greek": "x-mac-greek",
  "mac-turkish": "x-mac-turkish",
  "mac-centraleurope": "x-mac-ce",
  cp874: "windows-874",
  ms874: "windows-874",
};

/** A decoder of an encoding with one byte for each character. */
class PageDecoder {
  constructor(
    private readonly page: string,
    private readonly fatal: boolean,
  ) {}

  decode(bytes: Uint8Array = new Uint8Array()): string {
    const text = Array.from(bytes, (byte) =>
      byte < 0x80 ? String.fromCharCode(byte) : this.page.charAt(byte - 0x80),
    ).join("");
    if (this.fatal && text.includes("\ufffd")) throw new TypeError("A byte is no character of the encoding.");
    return text;
  }
}

/** What decodes the bytes of a text. Bytes that are invalid become U+FFFD. */
export interface Decoder {
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string;
}

/** A decoder of an encoding that `encodingNamed` returned. A `fatal` one throws a TypeError at invalid bytes. */
export function decoderOf(encoding: string, fatal = false): Decoder {
  const page = PAGES.get(encoding);
  return page === undefined ? new TextDecoder(encoding, { fatal, ignoreBOM: false }) : new PageDecoder(page, fatal);
}

/** The name of a declared charset, as `decoderOf` takes it, or null for an unknown charset. */
export function encodingNamed(label: string | undefined): string | null {
  if (label === undefined) return null;
  const name = label.trim().toLowerCase();
  const own = ALIASES[name] ?? name.replace(/^(?:cp|ibm|dos|oem)?[-_]?(?=\d{3,4}$)/, "ibm");
  if (PAGES.has(own)) return own;
  try {
    return new TextDecoder(ALIASES[name] ?? name).encoding;
  } catch {
    return null;
  }
}
