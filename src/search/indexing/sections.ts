import { KIND_PREFIXES } from "../kinds";
import {
  bodyField,
  DEFAULT_LANGUAGE,
  joinTerms,
  type Language,
  type LanguageSet,
  languagesOf,
  ownWords,
  sampledTerms,
  sampleOf,
  setOf,
} from "../text";

/** The passages of a section in the form of the index. */
export interface SectionField {
  terms: string;
  /** Words that count as the length of the body. */
  length: number;
  /** Terms of the body in one scope, including samples. */
  termCount: number;
  passageCount: number;
  /**
   * Numbers of terms at which the passages end; then, in a section with compounds, the numbers at which their parts
   * end.
   */
  ends: number[];
  /** The terms of the title for the sample of the section. */
  titleSample: string;
  /** The languages of the title and of the passages; empty if they show none. */
  languages: LanguageSet;
}

/** A section of a document. */
interface SectionOfDocument {
  documentId: string;
  /** The index of its first passage. */
  chunkIndex: number;
  title: string;
  texts: readonly string[];
}

const countTerms = (terms: string): number => terms.match(/\S+/g)?.length ?? 0;

/**
 * The terms of a section. Each passage has its own language; one that shows none has the `main` language of its document,
 * and so has the title. Where that is null too, they have the stems of the default language.
 */
export function sectionField(
  { documentId, chunkIndex, title, texts }: SectionOfDocument,
  main: Language | null,
): SectionField {
  const sample = sampleOf(`${documentId}.${chunkIndex}`);
  const sampled = (text: string, language: Language) =>
    sampledTerms(text, language, sample, KIND_PREFIXES.document.word);
  const titleLanguage = main ?? DEFAULT_LANGUAGE;
  const shown = languagesOf(texts, main);
  const spoken = shown.map((language) => language ?? DEFAULT_LANGUAGE);
  const passages = texts.map((text, i) => [text, spoken[i] ?? titleLanguage] as const);
  const own = new Set(passages.flatMap(([text, language]) => ownWords(text, language)));
  const fields = passages.map(([text, language]) => bodyField(text, language, own));
  const parts = fields.map((field) => field.parts);
  const lists = [...fields.map(({ terms }) => terms), ...(parts.some((list) => list !== "") ? parts : [])];
  const ends: number[] = [];
  for (const list of lists) ends.push((ends.at(-1) ?? 0) + countTerms(list));
  const terms = joinTerms(lists) + passages.map(([text, language]) => sampled(text, language)).join("");
  return {
    terms,
    length: fields.reduce((sum, field) => sum + field.length, 0),
    termCount: countTerms(terms),
    passageCount: passages.length,
    ends,
    titleSample: sampled(title, titleLanguage),
    languages: shown.every((language) => language === null) ? setOf() : setOf(titleLanguage, ...spoken),
  };
}
