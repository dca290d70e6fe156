import { breathe } from "../../../platform/pace";
import type { PdfFile } from "./file";
import { Ref, Text, type Value } from "./syntax";

/** Limits of PDF/A (ISO 19005-3, 6.1.13), bytes. */
export const [MAX_NAME_BYTES, MAX_STRING_BYTES] = [127, 32_767];

export const TOO_LONG =
  "The PDF has a text that is too long for an archive. Shorten the alternative texts and addresses.";

/** Work of one object, for `breathe`: a thousand of them take some 20 ms. */
const OBJECT_WORK = 32;

const FILTERS = new Set(["/FlateDecode", "/DCTDecode"]);
/** Classes of profiles that a picture may have, and the colours by their number of components (ISO 19005-3, 6.2.4.2). */
const CLASSES = new Set(["scnr", "mntr", "prtr", "spac"]);
const SPACES: Readonly<Record<number, string>> = { 1: "GRAY", 3: "RGB " };

export const nameBytes = (name: string): number => name.replace(/#[\da-f]{2}/gi, "x").length - 1;

/** What an object holds that PDF/A does not allow. */
function* foundIn(file: PdfFile, value: Value, profiles: Set<number>): Generator<string> {
  if (typeof value === "string") {
    if (value === "/DeviceCMYK")
      yield "The PDF has a picture with the colours of a printing press (CMYK). Save it with RGB colours.";
    if (nameBytes(value) > MAX_NAME_BYTES) yield "The PDF has a name that is too long for an archive.";
  } else if (value instanceof Text) {
    if (value.written.length > MAX_STRING_BYTES) yield TOO_LONG;
  } else if (Array.isArray(value)) {
    const [kind, profile] = value;
    if (kind === "/ICCBased" && profile instanceof Ref) profiles.add(profile.number);
    for (const held of value) yield* foundIn(file, held, profiles);
  } else if (value instanceof Map) {
    for (const key of ["Interpolate", "TR", "TR2", "OPI", "Alternates", "AA", "JavaScript", "XFA", "OCProperties"])
      if (value.has(key) && value.get(key) !== false && !(key === "TR" && value.get("S") !== undefined))
        yield "The PDF has a part that an archive does not allow.";
    for (const [key, held] of value) {
      if (nameBytes(`/${key}`) > MAX_NAME_BYTES) yield "The PDF has a name that is too long for an archive.";
      yield* foundIn(file, held, profiles);
    }
  }
}

const isAllowedProfile = (bytes: Uint8Array, components: Value | undefined): boolean => {
  const chars = (from: number) => String.fromCharCode(...bytes.subarray(from, from + 4));
  return (bytes[8] ?? 9) <= 4 && CLASSES.has(chars(12)) && SPACES[Number(components)] === chars(16);
};

/** Finds what keeps a PDF from being PDF/A-3b in these of its objects. */
export async function foundAgainstArchive(
  file: PdfFile,
  numbers: readonly number[],
  maxProfileBytes: number,
): Promise<Set<string>> {
  const found = new Set<string>();
  const profiles = new Set<number>();
  for (const number of numbers) {
    await breathe(OBJECT_WORK);
    const value = file.get(new Ref(number));
    for (const sentence of foundIn(file, value, profiles)) found.add(sentence);
    const filter = value instanceof Map ? value.get("Filter") : undefined;
    if (filter !== undefined && !(typeof filter === "string" && FILTERS.has(filter)))
      found.add("The PDF has a part that an archive does not allow.");
  }
  for (const number of profiles) {
    const components = file.dict(new Ref(number)).get("N");
    if (!isAllowedProfile(await file.unpacked(number, maxProfileBytes), components))
      found.add(
        "The PDF has a picture with a colour profile that an archive does not allow. Save it with sRGB colours.",
      );
  }
  return found;
}
