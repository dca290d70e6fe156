/** T.81 tables K.1 and K.2, row by row: luminance and chrominance. */
const LUMINANCE = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29, 51,
  87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121, 120, 101,
  72, 92, 95, 98, 112, 100, 103, 99,
];
const CHROMINANCE = [
  17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99,
  99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
  99, 99, 99, 99, 99, 99,
];

/** Tables for a quality of 1 to 100 on the scale that libjpeg made common: 50 is Annex K itself. */
export function quantizationFor(quality: number): { luminance: Uint8Array; chrominance: Uint8Array } {
  const percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  const scaled = (table: number[]) =>
    Uint8Array.from(table, (step) => Math.max(1, Math.min(255, Math.floor((step * percent + 50) / 100))));
  return { luminance: scaled(LUMINANCE), chrominance: scaled(CHROMINANCE) };
}
