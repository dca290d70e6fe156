// Controls, marks of writing direction and private characters carry no text. Zero-width joiners are
// kept: scripts of India and emoji need them.
const INVISIBLE = /[\p{Cc}\p{Co}\p{Cs}\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffc-\uffff]/gu;
const SPACES = /[\s\u0085]+/gu;

/** One line of clean text: NFC, single spaces, nothing invisible. */
export const normalise = (text: string): string =>
  text.replace(SPACES, " ").replace(INVISIBLE, "").normalize("NFC").replace(/ {2,}/g, " ").trim();
