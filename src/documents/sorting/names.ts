/** Digits that write the number of digits of a number. A file name has at most 255 characters. */
const LENGTH_DIGITS = 3;

/**
 * A file name in the order in which people count: without case and accents, and with numbers by their value, so that
 * `Plan 2` comes before `plan 10`. Each number begins with the count of its digits. Never empty.
 */
export function sortNameOf(fileName: string): string {
  const folded = fileName
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
  const counted = folded.replace(
    /0*(\d+)/g,
    (_, digits: string) => `${digits.length}`.padStart(LENGTH_DIGITS, "0") + digits,
  );
  return counted === "" ? fileName : counted;
}
