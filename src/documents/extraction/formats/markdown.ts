import { decodeEntities } from "./entities";
import { byLine, lineExtractor } from "./lines";

/** Fences of code, rules, underlines of headings, rulings of tables: lines without text of their own. */
const BARE = /^\s{0,3}(?:`{3,}|~{3,}|={3,}\s*$|(?:[-*_]\s*){3,}$|\|?[\s:|-]*-[\s:|-]*$)/;
const HEADING = /^\s{0,3}#{1,6}\s+/;
/** Quotation marks, bullets, numbers and task boxes, nested to any depth that people write. */
const MARKERS = /^(?:\s{0,12}(?:>|[-*+]\s|\d{1,9}[.)]\s|\[[ xX]\]\s)){0,8}/;
const FRONT_MATTER = /^(?:---|\+\+\+)\s*$/;

const INLINE: readonly (readonly [RegExp, string])[] = [
  [/<!--.{0,2000}?-->/g, " "],
  [/<\/?[A-Za-z][^<>]{0,1000}>/g, " "],
  [/<(https?:[^\s<>]{1,1000})>/g, "$1"],
  // Pictures and links: their text, not their address. Twice, for a picture within a link.
  [/!?\[([^[\]]{0,1000})\]\([^()\s]{0,1000}(?:\s+"[^"]{0,300}")?\)/g, "$1"],
  [/!?\[([^[\]]{0,1000})\]\([^()\s]{0,1000}(?:\s+"[^"]{0,300}")?\)/g, "$1"],
  [/!?\[([^[\]]{1,1000})\]\[[^[\]]{0,300}\]/g, "$1"],
  [/^\s{0,3}\[([^[\]]{1,300})\]:\s.*$/, ""],
  [/\[\^([^[\]]{1,100})\]/g, ""],
  [/(^|[^\\])[*~`]{1,3}/g, "$1"],
  [/(^|[\s(])_{1,3}(?=\S)|(?<=\S)_{1,3}(?=$|[\s).,;:!?])/g, "$1"],
  [/\\([!-/:-@[-`{-~])/g, "$1"],
];

const plain = (line: string): string =>
  decodeEntities(INLINE.reduce((text, [syntax, kept]) => text.replace(syntax, kept), line));

/** Markdown as its reader sees it: text without syntax, the text of links, cells of tables. Works line by line, in linear time. */
export const extractMarkdown = lineExtractor((paragraphs, sample) => {
  // Front matter is data of the file, read as lines of its own.
  let matter = FRONT_MATTER.test(sample.split("\n", 1)[0]?.trimEnd() ?? "");
  return byLine((line) => {
    if (FRONT_MATTER.test(line)) {
      matter = false;
      return paragraphs.end();
    }
    if (line.trim() === "" || BARE.test(line)) return paragraphs.end();
    const heading = HEADING.test(line);
    const row = /^\s{0,3}\|.*\|\s*$/.test(line);
    const item = /^\s{0,12}(?:[-*+]|\d{1,9}[.)])\s/.test(line);
    if (heading || row || item || matter) paragraphs.end();
    const text = plain(line.replace(HEADING, "").replace(MARKERS, ""));
    paragraphs.add(
      row ? text.trim().slice(1, -1).replaceAll("|", " | ") : heading ? text.replace(/\s+#+\s*$/, "") : text,
    );
    paragraphs.space();
    if (heading || row) paragraphs.end();
  });
});
