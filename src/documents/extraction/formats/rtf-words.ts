import { encodingNamed } from "../charsets";

/** Destinations without text of the document (RTF 1.9.1, appendix B). */
export const DESTINATIONS = new Set([
  "colortbl",
  "stylesheet",
  "info",
  "pict",
  "object",
  "objdata",
  "themedata",
  "colorschememapping",
  "datastore",
  "latentstyles",
  "listtable",
  "listoverridetable",
  "revtbl",
  "rsidtbl",
  "generator",
  "xmlnstbl",
  "sn",
  "sv",
  "shprslt",
  "shppict",
  "nonshppict",
  "filetbl",
  "bkmkstart",
  "bkmkend",
  "xe",
  "tc",
  "template",
  "private",
  "mmathPr",
  "nonesttables",
]);

/** Words after `\\*` that do not begin a destination: groups of a style, shapes. Their text belongs to the document. */
export const STARRED_TEXT = new Set(["shpinst", "cs", "ds", "ts", "fldinst"]);

/** Destinations within a paragraph whose text comes after that paragraph. Headers and footers can be anywhere. */
export const ASIDES = new Set([
  "footnote",
  "annotation",
  "shptxt",
  "header",
  "headerl",
  "headerr",
  "headerf",
  "footer",
  "footerl",
  "footerr",
  "footerf",
]);

/** Control words that stand for a character. */
export const SYMBOLS: Readonly<Record<string, string>> = {
  tab: " ",
  emdash: "\u2014",
  endash: "\u2013",
  emspace: " ",
  enspace: " ",
  lquote: "\u2018",
  rquote: "\u2019",
  ldblquote: "\u201c",
  rdblquote: "\u201d",
  bullet: "\u2022",
};

/** `\fcharset` to Windows code page. */
export const CODEPAGE_OF_CHARSET: Readonly<Record<number, number>> = {
  0: 1252,
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
  254: 437,
};

/** The encoding of a file that declares none. */
export const DEFAULT_ENCODING = "windows-1252";

/** Control words that declare the character set of the whole file. */
export const ENCODING_OF_WORD: Readonly<Record<string, string>> = { mac: "macintosh", pc: "ibm437", pca: "ibm850" };

const NAMED: Readonly<Record<number, string>> = {
  932: "shift_jis",
  936: "gbk",
  949: "euc-kr",
  950: "big5",
  10000: "macintosh",
  10006: "x-mac-greek",
  10007: "x-mac-cyrillic",
  10029: "x-mac-ce",
  10081: "x-mac-turkish",
  65001: "utf-8",
};

/** The name of a Windows code page, or null. */
export const encodingOfCodepage = (codepage: number | null): string | null =>
  codepage === null ? null : (NAMED[codepage] ?? encodingNamed(`cp${codepage}`));
