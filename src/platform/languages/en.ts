import { formsOf } from "./forms";

/* English as most countries write it: "20 Nov 2026", "8.4 MB". */

/** Browsers abbreviate September with four letters, and all other months with three. The whole name stays. */
const shortSeptember = (date: string): string => date.replace(/\bSept\b/, "Sep");

export const { number, plural, some, percent, decimal, sizeOf, list, dateFormat, byName } = formsOf(
  "en-GB",
  shortSeptember,
);
