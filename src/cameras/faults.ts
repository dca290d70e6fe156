/** The faults of devices in a language. */
interface Faults {
  byCode: Readonly<Record<string, string>>;
  other(code: string): string;
}

/** The error code of a heartbeat as a sentence. A code without one is shown as the device wrote it, with spaces. */
export const faultInWords = ({ byCode, other }: Faults, code: string): string =>
  byCode[code] ?? other(code.replace(/[._:-]+/g, " ").trim());
