/** Maximum number of characters that are kept of a field's code. */
export const MAX_FIELD_LENGTH = 1_000;

/** A field that shows a reading above its base text. Word processors write it in files without ruby elements: `EQ \* jc2 \o\ad(\s\up 9(かん),漢)`. */
const RUBY_FIELD =
  /^\s*EQ\b[^()]{0,200}\\o\s*\\a[a-z]\s*\(\s*\\s\s*\\up\s*\d{0,4}\s*\([^()]{0,100}\)\s*[,;]([^()]{1,100})\)/i;

/** The base text of a field that shows a reading above it; "" for every other field. */
export const rubyBase = (code: string): string => RUBY_FIELD.exec(code)?.[1] ?? "";

/** Readings in plain text: `{漢字|かん|じ}`, `｜漢字《かんじ》` and `漢字《かんじ》`. */
const BRACED = /\{([\p{Script=Han}々〆ヶ]{1,40})(?:\|[\p{Script=Hiragana}\p{Script=Katakana}ー]{1,40}){1,40}\}/gu;
const ANGLED = /[｜|]?([\p{Script=Han}々〆ヶ]{1,40})《[\p{Script=Hiragana}\p{Script=Katakana}ー]{1,40}》/gu;

/** Text without the readings of its ideographs. */
export const withoutReadings = (text: string): string =>
  text.includes("《") || text.includes("|") ? text.replace(BRACED, "$1").replace(ANGLED, "$1") : text;
