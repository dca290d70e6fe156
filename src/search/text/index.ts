export {
  AFTER_STEM,
  bodyField,
  NAME_MARK,
  nameWords,
  phraseStem,
  SAMPLE_MARK,
  SAMPLES,
  STEM_END,
  sampledTerms,
  samplesOf,
  termOf,
  titleField,
  WORD_MARK,
  wordOfTerm,
} from "./terms";
export { isListed, isSingleCharacter, isStopWord, queryWordsOf, STOP_WORDS, type Word, wordsOf } from "./words";
