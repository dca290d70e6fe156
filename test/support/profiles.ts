/** Colorants adapted to D50, and the curve of a profile. */
const KINDS = {
  adobe: {
    colorants: [
      [0.6097, 0.3111, 0.0195],
      [0.2053, 0.6257, 0.0609],
      [0.1492, 0.0632, 0.7446],
    ],
    curve: (x: number) => x ** 2.2,
  },
  srgb: {
    colorants: [
      [0.4361, 0.2225, 0.0139],
      [0.3851, 0.7169, 0.0971],
      [0.1431, 0.0606, 0.7141],
    ],
    curve: (x: number) => (x < 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4),
  },
  p3: {
    colorants: [
      [0.5151, 0.2412, -0.0011],
      [0.292, 0.6922, 0.0419],
      [0.1571, 0.0666, 0.7841],
    ],
    curve: (x: number) => (x < 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4),
  },
} as const;

interface ProfileOptions {
  kind: keyof typeof KINDS;
  /** Texts of additional elements, by tag. */
  texts?: Record<string, string>;
  /** Points of the tone curve; without them the curve is a power, or 4096 points of the sRGB curve. */
  points?: number;
  curve?: (x: number) => number;
  space?: string;
}

const uint32 = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const letters = (text: string): number[] => Array.from(text, (letter) => letter.charCodeAt(0));

/** A colour profile of version 2, as cameras and editors write them. */
export function iccProfile({ kind, texts = {}, points, curve, space = "RGB " }: ProfileOptions): Uint8Array {
  const { colorants, curve: own } = KINDS[kind];
  const count = points ?? (kind === "adobe" ? 1 : 4096);
  const tone = curve ?? own;
  const entries =
    count === 1 ? [0x0233] : Array.from({ length: count }, (_, i) => Math.round(65535 * tone(i / (count - 1))));
  const xyz = (values: readonly number[]) => [
    ...letters("XYZ "),
    ...uint32(0),
    ...values.flatMap((value) => uint32(Math.round(value * 65536) | 0)),
  ];
  const curv = [...letters("curv"), ...uint32(0), ...uint32(count), ...entries.flatMap((e) => [e >> 8, e & 255])];
  const text = (of: string) => [...letters("desc"), ...uint32(0), ...uint32(of.length + 1), ...letters(of), 0];
  const elements: [string, number[]][] = [
    ...Object.entries(texts).map(([tag, of]): [string, number[]] => [tag, text(of)]),
    ["wtpt", xyz([0.9505, 1, 1.0891])],
    ...(["rXYZ", "gXYZ", "bXYZ"] as const).map((tag, i): [string, number[]] => [tag, xyz(colorants[i] ?? [])]),
    ...["rTRC", "gTRC", "bTRC"].map((tag): [string, number[]] => [tag, curv]),
  ];
  let at = 132 + 12 * elements.length;
  const table: number[] = [];
  const data: number[] = [];
  for (const [tag, element] of elements) {
    const padded = [...element, ...Array<number>(-element.length & 3).fill(0)];
    table.push(...letters(tag), ...uint32(at), ...uint32(element.length));
    data.push(...padded);
    at += padded.length;
  }
  const header = new Array<number>(128).fill(0);
  const put = (offset: number, bytes: number[]) => header.splice(offset, bytes.length, ...bytes);
  put(0, uint32(at));
  put(8, [2, 0x10, 0, 0, ...letters(`mntr${space}XYZ `)]);
  put(36, letters("acsp"));
  put(
    68,
    [0.9642, 1, 0.8249].flatMap((value) => uint32(Math.round(value * 65536))),
  );
  return Uint8Array.from([...header, ...uint32(elements.length), ...table, ...data]);
}
